// The pages of the set-up: written by hand, without a script, every value escaped.
import { createHash } from 'node:crypto';

const SETUP_STYLE = `
:root{color-scheme:light dark;--ink:#1c2330;--soft:#566073;--paper:#fff;--line:#8b95a7;
--link:#0b57b0;--on:#fff;--bad:#9b1c1c;--panel:#f5f7fa}
@media (prefers-color-scheme:dark){:root{--ink:#e6eaf2;--soft:#a6b0c2;--paper:#12161d;--line:#6b7689;
--link:#8abaff;--on:#12161d;--bad:#ff9d9d;--panel:#1a202a}}
*{box-sizing:border-box}
body{margin:0;background:var(--paper);color:var(--ink);overflow-wrap:break-word;
font:1rem/1.6 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif}
main{max-width:36rem;margin:0 auto;padding:2.5rem 1.25rem 4rem}
h1{font-size:1.75rem;line-height:1.2;margin:0 0 1rem}
p{margin:.5rem 0 1rem}
a{color:var(--link)}
label,legend{display:block;font-weight:600;margin:1.25rem 0 .25rem}
legend{padding:0;margin-top:0}
fieldset{border:0;margin:1.25rem 0 0;padding:0}
.choice{display:flex;gap:.6rem;align-items:baseline;font-weight:400;margin:.35rem 0;flex-wrap:wrap}
.choice>span{flex:1 1 16rem}
input:not([type=radio]){font:inherit;color:inherit;background:var(--panel);border:1px solid var(--line);
border-radius:6px;padding:.5rem .75rem;width:100%}
.choice input:not([type=radio]){width:auto}
input[type=radio]{accent-color:var(--link)}
#code{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;letter-spacing:.05em}
.hint{color:var(--soft);font-size:.9rem;margin:.25rem 0 0}
button,.button{font:inherit;font-weight:600;display:inline-block;border:0;border-radius:6px;background:var(--link);
color:var(--on);padding:.6rem 1.25rem;margin-top:1.75rem;cursor:pointer;text-decoration:none}
.button{margin-top:.5rem}
:focus-visible{outline:3px solid var(--link);outline-offset:2px}
.alert{border:1px solid var(--bad);border-radius:6px;padding:.75rem 1rem;color:var(--bad)}
.alert ul{margin:0;padding-left:1.1rem}
code{background:var(--panel);padding:.1em .3em;border-radius:3px}
`;

const STYLE_HASH = `'sha256-${createHash('sha256').update(SETUP_STYLE).digest('base64')}'`;

interface FormPage {
  readonly faults: readonly string[];
  readonly name: string;
  readonly publicUrl: string;
  readonly webUrl: string;
}

export function formPage({ faults, name, publicUrl, webUrl }: FormPage): string {
  const alert =
    faults.length === 0
      ? ''
      : `<div role="alert" class="alert"><ul>${faults.map((each) => `<li>${escaped(each)}</li>`).join('')}</ul></div>`;
  return page(
    'Connect Causeway to GitHub',
    `<p>This creates a GitHub App of your own on <strong>${escaped(webUrl)}</strong>.
Its credentials are stored here, encrypted, and sent nowhere else.</p>
${alert}<form method="post" autocomplete="off">
<label for="code">One-time code</label>
<input id="code" name="code" required autocapitalize="characters" spellcheck="false" aria-describedby="code-hint">
<p class="hint" id="code-hint">Printed in the terminal or log where Causeway was started.</p>
<fieldset><legend>Who owns the App?</legend>
<label class="choice"><input type="radio" name="owner" value="user" checked> I do</label>
<label class="choice"><input type="radio" name="owner" value="organisation"> An organisation:
<input name="organisation" aria-label="Name of the organisation" placeholder="octo-org" size="20"></label>
</fieldset>
<fieldset><legend>What may it do?</legend>
<label class="choice"><input type="radio" name="kind" value="fix" checked>
<span><strong>Fix</strong>: comment, and open pull requests that someone with write access requested</span></label>
<label class="choice"><input type="radio" name="kind" value="comment">
<span><strong>Comment</strong>: read the code and comment, without write access to code</span></label>
</fieldset>
<label for="name">Name of the App</label>
<input id="name" name="name" required maxlength="34" value="${escaped(name)}" aria-describedby="name-hint">
<p class="hint" id="name-hint">Must be unique on GitHub; you can change it there.</p>
<label for="publicUrl">Address of this service</label>
<input id="publicUrl" name="publicUrl" type="url" required value="${escaped(publicUrl)}" aria-describedby="url-hint">
<p class="hint" id="url-hint">GitHub sends events there, so it must be reachable from GitHub.</p>
<button>Continue</button>
</form>`,
  );
}

interface HandOverPage {
  /** GitHub's page for a new App, with the state. */
  readonly action: string;
  readonly manifest: object;
  readonly webUrl: string;
}

/** GitHub takes the manifest only from a form that a browser sends. */
export function handOverPage({ action, manifest, webUrl }: HandOverPage): string {
  return page(
    'One more step, on GitHub',
    `<p>GitHub shows what the App may do and asks you to confirm. It then sends you back here.</p>
<form method="post" action="${escaped(action)}">
<input type="hidden" name="manifest" value="${escaped(JSON.stringify(manifest))}">
<button>Create the App on ${escaped(new URL(webUrl).host)}</button>
</form>`,
  );
}

export function donePage({ name, installUrl }: { readonly name: string; readonly installUrl: string }): string {
  return page(
    `${name} is ready`,
    `<p>Its credentials are stored here, encrypted, and this page is now closed.
Next, choose the repositories that it may access.</p>
<p><a class="button" href="${escaped(installUrl)}">Install it</a></p>
<p>Then label an issue <code>analyse</code> in one of them.</p>`,
  );
}

export function faultPage(words: string): string {
  return page(
    'That did not work',
    `<p role="alert">${escaped(words)}</p>
<p><a href="../setup">Start again</a> (with the same one-time code).</p>`,
  );
}

/** `formTarget`: a further origin that forms may be sent to; "" for none. */
export function pageHeaders(formTarget: string): Readonly<Record<string, string>> {
  return {
    'Content-Type': 'text/html; charset=utf-8',
    'Cache-Control': 'no-store',
    'Content-Security-Policy': [
      "default-src 'none'",
      `style-src ${STYLE_HASH}`,
      `form-action 'self' ${formTarget}`,
      "base-uri 'none'",
      "frame-ancestors 'none'",
    ].join('; '),
    'Cross-Origin-Opener-Policy': 'same-origin',
    // The form is accepted only with our own origin in Origin; path and query are not sent elsewhere.
    'Referrer-Policy': 'strict-origin',
    'X-Content-Type-Options': 'nosniff',
  };
}

function page(title: string, body: string): string {
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)} · Causeway</title><style>${SETUP_STYLE}</style></head>
<body><main><h1>${escaped(title)}</h1>
${body}
</main></body></html>
`;
}

function escaped(text: string): string {
  const entities: Readonly<Record<string, string>> = {
    '&': '&amp;',
    '<': '&lt;',
    '>': '&gt;',
    '"': '&quot;',
    "'": '&#39;',
  };
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? '');
}
