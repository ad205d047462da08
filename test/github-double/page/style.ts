// How the pages look: close to GitHub's light theme, without anything from elsewhere.
export const STYLE = `
:root{--fg:#1f2328;--muted:#59636e;--line:#d1d9e0;--soft:#f6f8fa;--link:#0969da;--green:#1a7f37;--red:#d1242f;--purple:#8250df;--amber:#9a6700}
*{box-sizing:border-box}
body{margin:0;color:var(--fg);background:#fff;font:14px/1.5 -apple-system,BlinkMacSystemFont,"Segoe UI","Noto Sans","Open Sans",Helvetica,Arial,sans-serif}
a{color:var(--link);text-decoration:none}a:hover{text-decoration:underline}
.top{display:flex;gap:16px;align-items:center;padding:16px 32px 8px;background:var(--soft)}
.top nav{display:flex;gap:6px}.home{font-weight:600;color:var(--fg)}
.tabs{display:flex;gap:8px;padding:0 32px;background:var(--soft);border-bottom:1px solid var(--line)}
.tabs a{padding:8px 10px;color:var(--fg);border-bottom:2px solid transparent}.tabs a[aria-current]{border-color:#fd8c73;font-weight:600}
.counter,.pill{display:inline-block;padding:0 6px;border-radius:2em;background:#818b981f;font-size:12px;line-height:18px;font-weight:500}
.pill{background:none;border:1px solid var(--line);color:var(--muted)}
main{max-width:1280px;margin:0 auto;padding:24px 32px 64px}
.muted{color:var(--muted)}.title{font-size:32px;line-height:1.25;font-weight:400;margin:0 0 8px}.title .number{color:var(--muted);font-weight:300}
.state{display:inline-block;padding:5px 12px;border-radius:2em;color:#fff;font-weight:500;background:var(--green)}
.state.closed,.state.merged{background:var(--purple)}.state.draft{background:#59636e}.state.pull.closed{background:#cf222e}.state.not_planned{background:#59636e}
.meta{display:flex;gap:8px;align-items:center;flex-wrap:wrap;padding-bottom:16px;margin-bottom:24px;border-bottom:1px solid var(--line)}
.columns{display:grid;grid-template-columns:minmax(0,1fr) 296px;gap:24px}@media(max-width:900px){.columns{grid-template-columns:minmax(0,1fr)}}
.avatar{display:inline-block;flex:none;color:#fff;text-align:center;font-weight:600;vertical-align:middle}.round{border-radius:50%}.square{border-radius:6px}
.entry{display:grid;grid-template-columns:40px minmax(0,1fr);gap:16px;margin-bottom:16px}
.box{border:1px solid var(--line);border-radius:6px;background:#fff}.box>header{display:flex;gap:8px;align-items:center;padding:8px 16px;background:var(--soft);border-bottom:1px solid var(--line);border-radius:6px 6px 0 0;color:var(--muted)}
.box>footer{padding:8px 16px;border-top:1px solid var(--line);color:var(--muted)}.box>header .end{margin-left:auto}.author{font-weight:600;color:var(--fg)}.entry .box>.markdown{padding:16px}
.reactions{display:flex;gap:6px;padding:0 16px 16px}.reactions span{border:1px solid var(--line);border-radius:2em;padding:0 8px;font-size:12px;line-height:24px}
.minimised>summary{padding:8px 16px;color:var(--muted);cursor:pointer}
.label{display:inline-block;border-radius:2em;padding:0 8px;font-size:12px;line-height:20px;font-weight:500}
aside section{padding:16px 0;border-bottom:1px solid var(--line)}aside h2{font-size:12px;margin:0 0 8px;color:var(--muted);font-weight:600}
.rows{border:1px solid var(--line);border-radius:6px;list-style:none;margin:0;padding:0}.rows>li{padding:8px 16px;border-top:1px solid var(--line)}.rows>li:first-child{border:0}
.rows strong a{color:var(--fg);font-size:16px}.open-icon{color:var(--green)}.closed-icon{color:var(--purple)}
.check{display:flex;gap:8px;align-items:center}.sign{flex:none;vertical-align:text-bottom;fill:none;stroke:currentColor;stroke-width:2}.success{color:var(--green)}.failure{color:var(--red)}.waiting{color:var(--amber)}.neutral{color:var(--muted)}
form{margin:0 0 8px}.forms{background:#fffbea;border:1px dashed #d4a72c;border-radius:6px;padding:12px;margin-top:16px}.forms h2{font-size:12px;margin:0 0 8px;color:var(--amber)}
input[type=text],select,textarea{font:inherit;border:1px solid var(--line);border-radius:6px;padding:4px 8px;background:#fff;max-width:100%}textarea{width:100%;min-height:80px;font-family:var(--mono)}
button{font:inherit;font-weight:500;padding:4px 12px;border:1px solid #d1d9e0;border-radius:6px;background:var(--soft);cursor:pointer}button.go{background:#1f883d;color:#fff;border-color:#1f883d}
.markdown{font-size:14px;line-height:1.5;overflow-wrap:break-word}.markdown>:first-child{margin-top:0}.markdown>:last-child{margin-bottom:0}
.markdown p,.markdown ul,.markdown ol,.markdown pre,.markdown table,.markdown blockquote,.markdown details{margin:0 0 16px}
.markdown h1,.markdown h2,.markdown h3,.markdown h4{margin:24px 0 16px;line-height:1.25;font-weight:600}.markdown h1{font-size:2em}.markdown h2{font-size:1.5em}.markdown h1,.markdown h2{padding-bottom:.3em;border-bottom:1px solid #d1d9e0b3}.markdown h3{font-size:1.25em}.markdown h4{font-size:1em}
.markdown ul,.markdown ol{padding-left:2em}.markdown li+li{margin-top:.25em}.markdown li>p{margin:16px 0}.markdown li:has(>input){list-style:none;margin-left:-1.4em}
.markdown code,.markdown tt,.mono{font-family:ui-monospace,SFMono-Regular,"SF Mono",Menlo,Consolas,"Liberation Mono","DejaVu Sans Mono",monospace;font-size:85%}
.markdown code,.markdown tt{padding:.2em .4em;background:#818b981f;border-radius:6px;white-space:break-spaces}.markdown a tt{background:none;padding:0}
.markdown pre{padding:16px;overflow:auto;background:var(--soft);border-radius:6px;line-height:1.45}.markdown pre code{padding:0;background:none;white-space:pre;font-size:85%}
.markdown blockquote{padding:0 1em;color:var(--muted);border-left:.25em solid var(--line)}.markdown hr{height:.25em;border:0;background:var(--line);margin:24px 0}
.markdown table{border-collapse:collapse;display:block;width:max-content;max-width:100%;overflow:auto}.markdown th,.markdown td{padding:6px 13px;border:1px solid var(--line)}.markdown tr:nth-child(2n){background:var(--soft)}
.markdown img{max-width:100%}.markdown summary{cursor:pointer}.markdown kbd{padding:3px 5px;font-size:11px;border:1px solid var(--line);border-radius:6px;background:var(--soft)}
.markdown .user-mention{font-weight:600;color:var(--fg)}.diff-added{background:#dafbe1;color:#116329}.diff-removed{background:#ffebe9;color:#82071e}.diff-hunk{color:#6639ba}
.alert{padding:8px 16px;margin-bottom:16px;border-left:.25em solid var(--link)}.alert-title{font-weight:500;color:var(--link)}.alert>:last-child{margin-bottom:0}
.alert-tip{border-color:var(--green)}.alert-tip .alert-title{color:var(--green)}.alert-important{border-color:var(--purple)}.alert-important .alert-title{color:var(--purple)}
.alert-warning{border-color:var(--amber)}.alert-warning .alert-title{color:var(--amber)}.alert-caution{border-color:var(--red)}.alert-caution .alert-title{color:var(--red)}
.file{margin-bottom:16px;overflow:hidden}.code{width:100%;border-collapse:collapse;font:12px/20px ui-monospace,SFMono-Regular,Menlo,Consolas,"Liberation Mono","DejaVu Sans Mono",monospace;tab-size:8}
.code td{padding:0 10px;white-space:pre-wrap;overflow-wrap:anywhere;vertical-align:top}.code .no{width:1%;min-width:50px;text-align:right;color:var(--muted);user-select:none}
.code .added{background:#dafbe1}.code .added .no{background:#aceebb}.code .removed{background:#ffebe9}.code .removed .no{background:#ffcecb}.code .hunk{background:#ddf4ff;color:var(--muted)}.code tr:target{background:#fff8c5}
.plus{color:var(--green);font-weight:600}.minus{color:var(--red);font-weight:600}.annotation{border-left:3px solid var(--amber);padding:8px 16px;margin:8px 0;background:var(--soft)}.annotation.failure{border-color:var(--red);color:inherit}.annotation.notice{border-color:var(--link)}
.annotation pre{white-space:pre-wrap;margin:4px 0 0}.subtabs{display:flex;gap:4px;border-bottom:1px solid var(--line);margin:0 0 24px}.subtabs a{padding:8px 16px;color:var(--fg);border:1px solid transparent;border-radius:6px 6px 0 0;margin-bottom:-1px}.subtabs a[aria-current]{border-color:var(--line);border-bottom-color:#fff;background:#fff}
.action{display:inline-block;padding:2px 12px;border:1px solid var(--line);border-radius:6px;background:#fff;font-weight:500;color:var(--fg)}
.remark{margin:16px}.remark>summary{padding:8px 16px}.suggestion{margin:8px 0;overflow:hidden}.suggestion>header{font-size:12px;color:var(--muted)}
.below>td{padding:8px 16px!important;background:#fff;white-space:normal!important;font:14px/1.5 -apple-system,BlinkMacSystemFont,"Segoe UI","Noto Sans","Open Sans",Helvetica,Arial,sans-serif}.below-line{max-width:780px}.box.below-line{padding:8px 16px}
`;

/** Shows what happened meanwhile: only what lives is replaced, what was unfolded stays so, and nothing moves while somebody types in it. */
export const LIVE = `
const live = document.getElementById('live');
let shown = live?.innerHTML;
function replace(fresh) {
  const open = new Set([...live.querySelectorAll('details[open] > summary')].map((one) => one.textContent));
  live.innerHTML = fresh;
  for (const one of live.querySelectorAll('details > summary')) one.parentElement.open = open.has(one.textContent) || one.parentElement.open;
}
async function look() {
  if (document.visibilityState === 'visible' && live.querySelector('details[open] form') === null) {
    const answer = await fetch(location.href).catch(() => null);
    if (answer?.ok) {
      const fresh = new DOMParser().parseFromString(await answer.text(), 'text/html').getElementById('live')?.innerHTML ?? '';
      if (fresh !== shown) replace(fresh);
      shown = fresh;
    }
  }
  setTimeout(look, 1500);
}
if (live !== null) look();
`;
