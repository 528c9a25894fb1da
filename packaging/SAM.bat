@echo off
rem Double-click on Windows: makes SAM ready (the first time) and starts it.
cd /d "%~dp0.."
set "SAM_PYTHON=python"
where py >nul 2>nul
if not errorlevel 1 set "SAM_PYTHON=py -3"
%SAM_PYTHON% packaging\bootstrap.py run
if errorlevel 1 (
  echo.
  echo SAM did not start: the lines above say what to do. It needs Python 3.11 or newer from python.org.
  pause
)
