// What every page has: templates, the frame with its style, names, times, labels and signs.
import type { GithubDouble } from '../double.ts';
import { gitText } from '../git/run-git.ts';
import { fullName } from '../lookup.ts';
import type { GithubAccount, GithubRepository } from '../state.ts';
import { escapeHtml, renderMarkdown } from './markdown.ts';

export class PageHtml {
  readonly source: string;

  constructor(source: string) {
    this.source = source;
  }
}

type HtmlPart = PageHtml | string | number | null | false | undefined | readonly HtmlPart[];

export function html(strings: TemplateStringsArray, ...parts: readonly HtmlPart[]): PageHtml {
  return new PageHtml(strings.map((piece, at) => piece + (at < parts.length ? writePart(parts[at]) : '')).join(''));
}

function writePart(part: HtmlPart): string {
  if (part === null || part === undefined || part === false) return '';
  if (part instanceof PageHtml) return part.source;
  if (Array.isArray(part)) return part.map(writePart).join('');
  return escapeHtml(String(part));
}

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

/** Lines in a square of 16. */
const CHECK = 'M3 8.5l3.5 3.5L13 4.5';

const CROSS = 'M4 4l8 8M12 4l-8 8';

const SQUARE = 'M5 5h6v6H5z';

const SLASHED = 'M2.5 8a5.5 5.5 0 1 0 11 0a5.5 5.5 0 1 0-11 0M4 12l8-8';

const DOT = 'M6 8a2 2 0 1 0 4 0a2 2 0 1 0-4 0M7.5 8h1';

const RING = 'M2 8a6 6 0 1 0 12 0a6 6 0 1 0-12 0M7.5 8h1';

const DRAWN: Readonly<Record<string, readonly [string, string]>> = {
  success: [CHECK, 'success'],
  neutral: [SQUARE, 'neutral'],
  skipped: [SLASHED, 'neutral'],
  stale: [SLASHED, 'neutral'],
  cancelled: [SLASHED, 'neutral'],
  failure: [CROSS, 'failure'],
  error: [CROSS, 'failure'],
  timed_out: [CROSS, 'failure'],
  action_required: [CROSS, 'failure'],
  open: [RING, 'open-icon'],
  closed: [CHECK, 'closed-icon'],
};

/** `success`, `failure`, `neutral`, or `waiting` for what is not done. */
export function kindOf(outcome: string): string {
  return DRAWN[outcome]?.[1] ?? 'waiting';
}

export function sign(outcome: string): PageHtml {
  const [path, kind] = DRAWN[outcome] ?? [DOT, 'waiting'];
  return html`<svg class="sign ${kind}" role="img" aria-label="${outcome}" viewBox="0 0 16 16" width="16" height="16"><path d="${path}"/></svg>`;
}

export interface PageView {
  readonly double: GithubDouble;
  readonly repository: GithubRepository;
  /** `owner/name`. */
  readonly name: string;
  /** Without the forms, as a reader who is not signed in sees it. */
  readonly isReading: boolean;
}

export function viewOf(double: GithubDouble, repository: GithubRepository, isReading: boolean): PageView {
  return { double, repository, name: fullName(double.state, repository), isReading };
}

const COLOURS = ['#8250df', '#0969da', '#1a7f37', '#bf3989', '#bc4c00', '#4d2d00', '#0550ae', '#57606a'];

const STEPS: readonly (readonly [string, number])[] = [
  ['minute', 60],
  ['hour', 3_600],
  ['day', 86_400],
];

export function avatar(account: GithubAccount | undefined, size: number): PageHtml {
  const login = account?.login ?? 'ghost';
  const shape = account?.type === 'User' || account === undefined ? 'round' : 'square';
  const colour = COLOURS[(account?.id ?? 7) % COLOURS.length] ?? '#57606a';
  const style = `width:${size}px;height:${size}px;line-height:${size}px;font-size:${Math.round(size * 0.5)}px;background:${colour}`;
  return html`<span class="avatar ${shape}" style="${style}" aria-hidden="true">${login.slice(0, 1).toUpperCase()}</span>`;
}

/** The name with what GitHub sets behind it for an App. */
export function author(account: GithubAccount | undefined): PageHtml {
  const login = account?.login ?? 'ghost';
  const isBot = account?.type === 'Bot';
  const name = isBot ? login.replace(/\[bot\]$/, '') : login;
  return html`<a class="author" href="/${isBot ? `apps/${name}` : name}">${name}</a>${
    isBot && html` <span class="pill">bot</span>`
  }`;
}

export function accountOf({ double }: PageView, id: number | null): GithubAccount | undefined {
  return id === null ? undefined : double.state.accounts.get(id);
}

export function ago({ double }: PageView, at: string): PageHtml {
  const seconds = Math.max(0, (double.state.clock.now().getTime() - Date.parse(at)) / 1_000);
  return html`<time datetime="${at}" title="${at}">${inWords(seconds, at)}</time>`;
}

function inWords(seconds: number, at: string): string {
  if (seconds < 60) return 'now';
  const [unit, length] = STEPS.findLast(([, long]) => seconds >= long) ?? ['minute', 60];
  const count = Math.floor(seconds / length);
  if (unit === 'day' && count > 29) return `on ${at.slice(0, 10)}`;
  return `${count} ${unit}${count === 1 ? '' : 's'} ago`;
}

/** A text that people or Apps wrote, as it stands on GitHub; inert. */
export function rendered({ double, name }: PageView, source: string | null): PageHtml {
  if (source === null || source.trim() === '') return html`<p class="muted"><em>No description provided.</em></p>`;
  return new PageHtml(renderMarkdown(source, { repository: name, webUrl: double.webUrl }).html);
}

export async function branchesOf({ repository }: PageView): Promise<readonly string[]> {
  const out = await gitText(repository.gitDir, ['for-each-ref', '--format=%(refname:short)', 'refs/heads/']);
  return out === '' ? [] : out.split('\n');
}

/** A path in an address. */
export function inAddress(path: string): string {
  return path.split('/').map(encodeURIComponent).join('/');
}

export function labelPill({ repository }: PageView, name: string): PageHtml {
  const colour = repository.labels.get(name.toLowerCase())?.color ?? 'ededed';
  const [red = 0, green = 0, blue = 0] = [0, 2, 4].map((at) => Number.parseInt(colour.slice(at, at + 2), 16));
  const text = red * 0.299 + green * 0.587 + blue * 0.114 > 150 ? '#1f2328' : '#ffffff';
  return html`<span class="label" style="background:#${colour};color:${text}">${name}</span> `;
}

interface FramedPage {
  readonly title: string;
  readonly body: PageHtml;
  /** Null: no repository. */
  readonly view: PageView | null;
  readonly tab?: 'code' | 'issues' | 'pulls';
}

export function framed({ title, body, view, tab }: FramedPage): PageHtml {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} · GitHub double</title>
<link rel="stylesheet" href="/-/style.css">
<link rel="icon" href="data:,">
<script src="/-/live.js" defer></script>
</head>
<body>
<header class="top"><a class="home" href="/">GitHub double</a>${
    view &&
    html`<nav aria-label="Path"><a href="/">${view.name.split('/')[0]}</a><span>/</span><a href="/${view.name}"><strong>${view.repository.name}</strong></a></nav>`
  }</header>
${view && tabs(view, tab)}
<main>${body}</main>
</body>
</html>`;
}

function tabs({ repository, name }: PageView, current: FramedPage['tab']): PageHtml {
  const open = [...repository.issues.values()].filter(({ state }) => state === 'open');
  const pulls = open.filter(({ pull }) => pull !== null).length;
  const tab = (key: string, path: string, label: string, count: number | null) =>
    html`<a href="/${name}${path}"${key === current && html` aria-current="page"`}>${label}${
      count ? html` <span class="counter">${count}</span>` : ''
    }</a>`;
  return html`<nav class="tabs" aria-label="Repository">
${tab('code', '', 'Code', null)}${tab('issues', '/issues', 'Issues', open.length - pulls)}${tab('pulls', '/pulls', 'Pull requests', pulls)}
</nav>`;
}

/** A page that says what went wrong. */
export function refusal(title: string, detail: string, view: PageView | null): PageHtml {
  return framed({ title, view, body: html`<h1 class="title">${title}</h1><p>${detail}</p>` });
}
