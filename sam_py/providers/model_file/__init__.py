"""A model file (GGUF) on this computer: llama.cpp, where it is installed, is started for it and ended with the program.

Must always be true:

- Nothing is downloaded; a program that is missing is named, with the command that installs it.
- The server listens on 127.0.0.1 alone, behind a key that only this process knows.
- It does not outlive the program, however that ends: `host` waits for the end of its standard input.

May import: `providers`' shared modules, `errors`. The wire that is spoken to the server is passed in.
"""
