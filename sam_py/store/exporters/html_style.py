"""The style sheet of pages: light or dark as the reader's system prefers. Its hash stands in the page's policy."""

from __future__ import annotations

import base64
import hashlib
from functools import cache

from sam_py.store.exporters.html_maths import DEPTH_STEP, MOST_DEPTHS

_LIGHT = """--paper:#ffffff;--text:#1d1d1f;--muted:#66666b;--accent:#2f6f5e;--bubble:#eef3f0;--code:#f6f6f4;
--border:#e3e3df;--link:#1b6450;--error:#b3261e;--error-paper:#fdf0ee;--ok:#2b7a3f;--warn:#8a5a00;
--p-key:#8f2f78;--p-text:#22663f;--p-note:#6b6f76;--p-number:#9a4b00;--p-name:#2a5ba8;--p-kind:#1f6b78"""
_DARK = """--paper:#1b1c1e;--text:#ececec;--muted:#a3a5a8;--accent:#5fb79d;--bubble:#2a302e;--code:#232527;
--border:#34373a;--link:#7cccb4;--error:#f2897f;--error-paper:#3a2422;--ok:#74c08a;--warn:#dfae5c;
--p-key:#d793c9;--p-text:#93cfa4;--p-note:#9299a1;--p-number:#e2a566;--p-name:#8fb4ee;--p-kind:#74c4d1"""

_RULES = """
*{box-sizing:border-box}
html{color-scheme:light dark;-webkit-text-size-adjust:100%}
body{margin:0;background:var(--paper);color:var(--text);
font:16px/1.6 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans","DejaVu Sans",sans-serif;overflow-wrap:anywhere}
main{max-width:50rem;margin:0 auto;padding:3rem 1.5rem 5rem}
h1,h2,h3,h4,h5,h6{line-height:1.3;margin:1.6em 0 .5em;font-weight:600}
.top{border-bottom:1px solid var(--border);padding-bottom:1.25rem;margin-bottom:2rem}
.top h1{font-size:1.75rem;margin:0 0 .35rem}
.top p,.after,.note,.foot{color:var(--muted);font-size:.875rem;margin:0}
.said p,.said li,.said td,.said th,.said :is(h1,h2,h3,h5,h6){unicode-bidi:plaintext}
.said .note{margin:0 0 .75rem}
.foot{border-top:1px solid var(--border);margin-top:3rem;padding-top:1rem}
article{margin:0 0 2rem}
article>header{display:flex;gap:.6rem;align-items:baseline;margin-bottom:.35rem;font-size:.875rem}
.who{font-weight:600}
.pin{color:var(--accent)}
time,.facts{color:var(--muted)}
.user{margin-left:auto;max-width:85%;width:fit-content;min-width:12rem}
.user>.said{background:var(--bubble);border-radius:.9rem;padding:.75rem 1.1rem}
.said>:first-child{margin-top:0}.said>:last-child{margin-bottom:0}
p,ul,ol,blockquote,figure,table,pre,.maths,.scroll{margin:0 0 .9em}
ul,ol{padding-inline-start:1.6em}li>p{margin-bottom:.35em}li{margin:.15em 0}
a{color:var(--link);text-underline-offset:.15em}
blockquote{border-inline-start:3px solid var(--border);padding-inline-start:1em;color:var(--muted);margin-inline:0}
hr{border:0;border-top:1px solid var(--border);margin:1.8em 0}
code,pre{
font-family:ui-monospace,"SF Mono","Cascadia Mono",Menlo,Consolas,"DejaVu Sans Mono",monospace;font-size:.875em}
:not(pre)>code{unicode-bidi:isolate;
background:var(--code);border:1px solid var(--border);border-radius:.35em;padding:.08em .35em}
pre{background:var(--code);border:1px solid var(--border);border-radius:.6rem;padding:.85rem 1rem;overflow:auto;
white-space:pre;line-height:1.5;overflow-wrap:normal;tab-size:4}
pre.plain,.io pre{white-space:pre-wrap;overflow-wrap:anywhere}
pre>code{font-size:1em}
figure{margin-left:0;margin-right:0}
figure.code{border:1px solid var(--border);border-radius:.6rem;overflow:hidden}
figure.code>pre{border:0;border-radius:0;margin:0}
figure.code>figcaption{padding:.35rem 1rem;font-size:.8rem;color:var(--muted);border-bottom:1px solid var(--border);
background:var(--code)}
figure.picture img{max-width:100%;max-height:40rem;height:auto;border-radius:.6rem;border:1px solid var(--border);
display:block}
figure.picture figcaption{color:var(--muted);font-size:.85rem;margin-top:.35rem}
.scroll{overflow-x:auto}
table{border-collapse:collapse;font-size:.95em;margin:0;min-width:min(100%,20rem)}
th,td{border:1px solid var(--border);padding:.4rem .75rem;text-align:start;vertical-align:top;overflow-wrap:normal}
.right{text-align:right}.middle{text-align:center}th{background:var(--code);font-weight:600}
details{border:1px solid var(--border);border-radius:.6rem;margin:0 0 .75em;background:var(--paper)}
summary{cursor:pointer;padding:.5rem .9rem;font-size:.9rem;list-style-position:inside}
summary:focus-visible{outline:2px solid var(--accent);outline-offset:2px;border-radius:.5rem}
details[open]>summary{border-bottom:1px solid var(--border)}
.fold>:last-child{margin-bottom:0}.fold>:first-child{margin-top:0}
details>.fold{padding:.85rem 1rem;font-size:.94em}
.thinking>.fold{color:var(--muted)}
.tool summary b{font-weight:600}
.io h4{margin:0 0 .3rem;font-size:.8rem;color:var(--muted);font-weight:600}
.io pre{max-height:32rem}
.state{font-size:.8rem;border-radius:1rem;padding:.1rem .55rem;margin-left:.5rem;border:1px solid currentColor}
.ok{color:var(--ok)}.failed{color:var(--error)}.stopped{color:var(--warn)}.none{color:var(--muted)}
.file{display:inline-flex;gap:.5rem;border:1px solid var(--border);border-radius:.6rem;padding:.4rem .8rem;
margin:0 .4rem .6rem 0;font-size:.9rem;background:var(--paper)}
.ended{color:var(--warn);font-size:.875rem}
.error{border:1px solid var(--error);background:var(--error-paper);border-radius:.6rem;padding:.6rem .9rem;
color:var(--error);font-size:.9rem}
.branch{border-top:2px solid var(--border);margin-top:3rem;padding-top:1.5rem}
.branch>h2{margin:0 0 .2rem;font-size:1.2rem}.branch>.after{margin-bottom:1.5rem}
.maths{text-align:center;overflow-x:auto;padding:.3rem 0}
svg{color:inherit;max-width:none}.maths svg{vertical-align:middle}
.list{list-style:none;padding:0}.list li{padding:.55rem 0;border-bottom:1px solid var(--border)}
.list span{display:block;color:var(--muted);font-size:.875rem}
[class^="p-k"],[class^="p-ow"]{color:var(--p-key)}[class^="p-s"]{color:var(--p-text)}
[class^="p-c"]{color:var(--p-note);font-style:italic}[class^="p-m"]{color:var(--p-number)}
.p-nf,.p-fm,.p-nc,.p-nd,.p-nt{color:var(--p-name)}.p-nb,.p-bp,.p-na,.p-kt{color:var(--p-kind)}
.p-gd{color:var(--error)}.p-gi{color:var(--ok)}.p-gh,.p-gu{color:var(--p-name);font-weight:600}
@media (max-width:40rem){main{padding:1.5rem 1rem 3rem}.user{max-width:100%}}
@media print{main{max-width:none;padding:0}article{break-inside:auto}figure,table,details{break-inside:avoid}
.user>.said{border:1px solid var(--border)}}
"""


@cache
def style_sheet() -> str:
    """All of the style; the same text in every page."""
    depths = "".join(f".d{step}{{vertical-align:-{step * DEPTH_STEP:.2f}em}}" for step in range(MOST_DEPTHS))
    dark = f"@media (prefers-color-scheme:dark){{:root{{{_DARK}}}}}"
    return f":root{{{_LIGHT}}}\n{dark}{_RULES}{depths}\n"


@cache
def policy() -> str:
    """The page's content security policy: this style sheet, embedded pictures, and nothing else."""
    digest = base64.b64encode(hashlib.sha256(style_sheet().encode()).digest()).decode()
    return f"default-src 'none'; img-src data:; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
