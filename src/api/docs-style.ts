// The style of the documentation page: readable at any width, light and dark as the reader's system says.

export const DOCS_STYLE = `
:root{color-scheme:light dark;--ink:#1c2330;--soft:#566073;--paper:#fff;--panel:#f5f7fa;--line:#d8dee8;--link:#0b57b0;
--get:#0b5c35;--post:#0b4a8f;--delete:#9b1c1c;--code:#eef1f6}
@media (prefers-color-scheme:dark){:root{--ink:#e6eaf2;--soft:#a6b0c2;--paper:#12161d;--panel:#1a202a;--line:#2f3847;--link:#8abaff;
--get:#6fd7a0;--post:#8abaff;--delete:#ff9d9d;--code:#212936}}
*{box-sizing:border-box}
html{scroll-padding-top:1rem;-webkit-text-size-adjust:100%}
body{margin:0;background:var(--paper);color:var(--ink);font:1rem/1.6 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif;overflow-wrap:break-word}
a{color:var(--link)}
:focus-visible{outline:3px solid var(--link);outline-offset:2px;border-radius:2px}
.skip{position:absolute;left:-99rem}.skip:focus{left:1rem;top:1rem;background:var(--paper);padding:.5rem 1rem;z-index:1}
.frame{max-width:78rem;margin:0 auto;padding:0 1.25rem 4rem}
header{padding:2.5rem 0 1rem;border-bottom:1px solid var(--line)}
h1{font-size:2rem;line-height:1.2;margin:0 0 .75rem}
h2{font-size:1.5rem;margin:3rem 0 1rem;padding-bottom:.35rem;border-bottom:1px solid var(--line)}
h3{font-size:1.15rem;margin:0 0 .25rem}
h4{font-size:.95rem;margin:1.25rem 0 .35rem;color:var(--soft)}
p{margin:.5rem 0;max-width:70ch}
code,pre{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;font-size:.875rem}
code{background:var(--code);padding:.1em .3em;border-radius:3px}
pre{background:var(--code);border:1px solid var(--line);border-radius:6px;padding:.75rem 1rem;white-space:pre-wrap;overflow-wrap:anywhere;line-height:1.5;margin:.5rem 0}
pre code{background:none;padding:0;font-size:inherit}
nav ul{list-style:none;margin:0;padding:0}
nav li{margin:.15rem 0}
nav a{text-decoration:none;display:inline-flex;align-items:baseline;gap:.4rem;padding:.15rem 0}nav a:hover{text-decoration:underline}
nav .group{font-weight:600;margin:1rem 0 .25rem}
nav .method{font-size:.7rem;flex:0 0 3.8em}
.method{font:600 .875rem ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}
.get{color:var(--get)}.post{color:var(--post)}.delete{color:var(--delete)}
article{border:1px solid var(--line);border-radius:8px;padding:1.25rem;margin:1.25rem 0;background:var(--panel)}
article>.path{margin:0 0 .5rem;font-size:1rem;max-width:none}
article>.path code{background:none;padding:0;font-size:.95rem}
.scope{color:var(--soft);font-size:.9rem}
table{border-collapse:separate;border-spacing:0;width:100%;font-size:.9rem;margin:.5rem 0;border:1px solid var(--line);border-radius:6px;background:var(--paper)}
th,td{text-align:left;vertical-align:top;padding:.45rem .75rem;border-bottom:1px solid var(--line);overflow-wrap:anywhere}
tbody tr:last-child>*{border-bottom:0}
thead th{color:var(--soft);font-weight:600}
tbody th{font-weight:400;width:1%;white-space:nowrap}td:nth-child(2):not(:last-child){min-width:9rem}
details{margin:.75rem 0}summary{cursor:pointer;color:var(--link);padding:.15rem 0}
@media (min-width:60rem){.columns{display:grid;grid-template-columns:16rem minmax(0,1fr);gap:3rem}
nav{position:sticky;top:0;align-self:start;max-height:100vh;overflow-y:auto;padding:1.5rem 0}}
@media (max-width:40rem){h1{font-size:1.6rem}.frame{padding:0 1rem 3rem}article{padding:1rem}
thead{position:absolute;left:-99rem}tbody,tr{display:block}tbody th,td{display:block;width:auto;white-space:normal;border-bottom:0;padding:.15rem .75rem}
tr{border-bottom:1px solid var(--line);padding:.45rem 0}tbody tr:last-child{border-bottom:0}td:empty{display:none}}
@media print{nav{display:none}article{break-inside:avoid;background:none}}
`;
