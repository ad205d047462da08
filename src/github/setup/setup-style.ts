// The style of the set-up pages: one column, light and dark as the reader's system says.

export const SETUP_STYLE = `
:root{color-scheme:light dark;--ink:#1c2330;--soft:#566073;--paper:#fff;--line:#8b95a7;--link:#0b57b0;--on:#fff;--bad:#9b1c1c;--panel:#f5f7fa}
@media (prefers-color-scheme:dark){:root{--ink:#e6eaf2;--soft:#a6b0c2;--paper:#12161d;--line:#6b7689;--link:#8abaff;--on:#12161d;--bad:#ff9d9d;--panel:#1a202a}}
*{box-sizing:border-box}
body{margin:0;background:var(--paper);color:var(--ink);font:1rem/1.6 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif;overflow-wrap:break-word}
main{max-width:36rem;margin:0 auto;padding:2.5rem 1.25rem 4rem}
h1{font-size:1.75rem;line-height:1.2;margin:0 0 1rem}
p{margin:.5rem 0 1rem}
a{color:var(--link)}
label,legend{display:block;font-weight:600;margin:1.25rem 0 .25rem}
legend{padding:0;margin-top:0}
fieldset{border:0;margin:1.25rem 0 0;padding:0}
.choice{display:flex;gap:.6rem;align-items:baseline;font-weight:400;margin:.35rem 0;flex-wrap:wrap}
.choice>span{flex:1 1 16rem}
input:not([type=radio]){font:inherit;color:inherit;background:var(--panel);border:1px solid var(--line);border-radius:6px;padding:.5rem .75rem;width:100%}
.choice input:not([type=radio]){width:auto}
input[type=radio]{accent-color:var(--link)}
#code{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;letter-spacing:.05em}
.hint{color:var(--soft);font-size:.9rem;margin:.25rem 0 0}
button,.button{font:inherit;font-weight:600;display:inline-block;border:0;border-radius:6px;background:var(--link);color:var(--on);padding:.6rem 1.25rem;margin-top:1.75rem;cursor:pointer;text-decoration:none}
.button{margin-top:.5rem}
:focus-visible{outline:3px solid var(--link);outline-offset:2px}
.alert{border:1px solid var(--bad);border-radius:6px;padding:.75rem 1rem;color:var(--bad)}
.alert ul{margin:0;padding-left:1.1rem}
code{background:var(--panel);padding:.1em .3em;border-radius:3px}
`;
