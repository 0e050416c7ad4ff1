import { createHash } from 'node:crypto';

/**
 * The only style of the pages. Text of 18 px, controls of at least 48 px, and colours of a contrast of at least
 * 4.5 : 1 on their ground, by day and by night.
 */
export const style = `
:root{color-scheme:light dark;--ground:#f7f5f0;--card:#fff;--ink:#1c2225;--soft:#545e62;--line:#d5d1c6;--accent:#0b5c58;
--on-accent:#fff;--warn:#8f2413;--warn-ground:#fbeae6;--good-ground:#e3f1ec;--note-ground:#eef0ea}
@media(prefers-color-scheme:dark){:root{--ground:#13181a;--card:#1c2326;--ink:#eceae4;--soft:#a9b3b5;--line:#3b4548;
--accent:#7ed3c8;--on-accent:#08211f;--warn:#ffb4a3;--warn-ground:#3a201b;--good-ground:#17322d;--note-ground:#232b2d}}
*{box-sizing:border-box}
body{margin:0;background:var(--ground);color:var(--ink);font:1.125rem/1.55 system-ui,-apple-system,"Segoe UI",Roboto,
"Noto Sans",sans-serif;overflow-wrap:anywhere}
header,main,footer{max-width:42rem;margin:0 auto;padding:0 1rem}
header{padding-top:1.1rem;color:var(--soft);font-size:1rem}
header b{color:var(--accent)}
footer{padding:1.5rem 1rem 3rem;color:var(--soft);font-size:1rem}
h1{font-size:1.7rem;line-height:1.2;margin:.9rem 0 .6rem;text-wrap:balance}
h2{font-size:1.2rem;line-height:1.3;margin:2rem 0 .6rem}
p{margin:.6rem 0}
a{color:var(--accent)}
.card{background:var(--card);border:1px solid var(--line);border-radius:.75rem;padding:.35rem 1.1rem;margin:1rem 0}
dl{margin:0}
dl>div{padding:.75rem 0;border-top:1px solid var(--line)}
dl>div:first-child{border-top:0}
dt{font-size:1rem;color:var(--soft)}
dd{margin:0}
.value{font-weight:600;white-space:pre-wrap;unicode-bidi:isolate}
.long{font-weight:400}
.exact{font-size:1rem;color:var(--soft);white-space:pre-wrap}
.origin{font-size:1rem;color:var(--soft);margin:.25rem 0 0}
.origin q{color:var(--ink);white-space:pre-line;unicode-bidi:isolate}
ul.files,ul.plain{margin:0;padding:0;list-style:none}
ul.plain li{padding:.75rem 0;border-top:1px solid var(--line)}
ul.plain li:first-child{border-top:0}
code{font:.95em ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}
.question{font-size:1.25rem;font-weight:600}
.note,.warn,.good{border-radius:.75rem;padding:.8rem 1.1rem;margin:1rem 0;background:var(--note-ground)}
.warn{background:var(--warn-ground);color:var(--warn)}
.good{background:var(--good-ground)}
.note p:first-child,.warn p:first-child,.good p:first-child{margin-top:0}
.note p:last-child,.warn p:last-child,.good p:last-child{margin-bottom:0}
label{display:block;font-weight:600;margin:1rem 0 .3rem}
.hint{font-size:1rem;color:var(--soft);margin:0 0 .4rem}
input,textarea{width:100%;font:inherit;color:inherit;background:var(--ground);border:2px solid var(--soft);
border-radius:.5rem;padding:.6rem .8rem;min-height:3rem}
input#code{max-width:12rem;font-size:1.6rem;letter-spacing:.18em;font-variant-numeric:tabular-nums}
textarea{min-height:6rem;resize:vertical}
button{font:inherit;font-weight:600;min-height:3.1rem;padding:.6rem 1.4rem;border-radius:.5rem;cursor:pointer;
border:2px solid var(--accent);background:var(--accent);color:var(--on-accent)}
button.second{background:transparent;color:var(--accent)}
.buttons{margin:1rem 0}
.part{border-top:1px solid var(--line);margin-top:1.4rem;padding-top:.2rem;padding-bottom:.6rem}
:focus-visible{outline:3px solid var(--accent);outline-offset:3px}
@media(max-width:30rem){button{width:100%}}
@media print{form{display:none}}
`;

/** What the Content-Security-Policy names the style by. */
export const styleHash = `'sha256-${createHash('sha256').update(style).digest('base64')}'`;
