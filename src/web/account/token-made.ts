// The page that shows a new token, this once, and how to use it.

import { html } from 'hono/html';
import type { TokenRecord } from '../../core/account.ts';
import { inertLine } from '../../core/inert-text.ts';
import type { ExampleReport } from '../../core/report.ts';
import { quoted } from '../../core/shell-quote.ts';
import type { Html } from '../show.ts';
import { moment } from '../words.ts';
import { copyable } from './copyable.ts';

/** In an example for somebody who sees no project. */
export const NO_PROJECT = 'PROJECT_ID';

interface MadeToken {
  readonly record: TokenRecord;
  /** The token itself; it stands on the page in one place alone, so that no copy of it goes with a command into a shell's history. */
  readonly value: string;
  readonly baseUrl: string;
  /** What the first call hands in. */
  readonly example: ExampleReport;
}

export function tokenMade({ record, value, baseUrl, example }: MadeToken): Html {
  const until =
    record.expiresAt === null ? html`It does not expire.` : html`It expires on ${moment(record.expiresAt)}.`;
  return html`<div class="keys"><h1>Your new token</h1>
<p class="notice"><strong>It is shown only now.</strong> Copy it, and keep it where your program finds it: only a hash of it is kept here.</p>
${copyable('token', value, 'token')}
<p><strong>${inertLine(record.name, 100)}</strong> may ${record.scopes.map((scope, at) => html`${at === 0 ? '' : ', '}<code>${scope}</code>`)}. ${until}</p>
<h2>Try it</h2>
<p>In bash or zsh, this waits for the token without showing it. Paste it there, and press Enter:</p>
${copyable('read', 'read -rs TOKEN', 'command')}
<p>${firstCall(record).words}</p>
${copyable('call', curlOf(record, baseUrl, example), 'command')}
<p class="hint">The address <a href="/docs">/docs</a> describes every call.</p>
<p><a class="button" href="/account/security-credentials">Back to Security credentials</a></p></div>`;
}

type Call = 'report' | 'list' | 'follow' | 'pull-request';

/** The first that the token may do, as somebody new would begin. */
function firstCall({ scopes }: TokenRecord): { readonly call: Call; readonly words: string } {
  if (scopes.includes('issues:write'))
    return { call: 'report', words: 'Then this submits a report; replace "data" with your own:' };
  if (scopes.includes('projects:read')) return { call: 'list', words: 'Then this lists your projects:' };
  if (scopes.includes('issues:read')) return { call: 'follow', words: 'Then this lists investigations:' };
  return { call: 'pull-request', words: 'Then this opens a pull request; put in the id of an issue for ISSUE_ID:' };
}

function curlOf(record: TokenRecord, baseUrl: string, { projectId, data }: ExampleReport): string {
  const authorization = '-H "Authorization: Bearer $TOKEN"';
  const to = (path: string) => quoted(`${baseUrl}/api/v1/${path}`);
  const query = projectId === NO_PROJECT ? '' : `?projectId=${encodeURIComponent(projectId)}`;
  switch (firstCall(record).call) {
    case 'report': {
      const body = JSON.stringify({ projectId, data }, null, 2);
      const type = "-H 'Content-Type: application/json'";
      return [`curl -i ${to('issues/')}`, authorization, type, `-d ${quoted(body)}`].join(' \\\n  ');
    }
    case 'list':
      return [`curl ${to('projects/')}`, authorization].join(' \\\n  ');
    case 'follow':
      return [`curl ${to(`investigations/${query}`)}`, authorization].join(' \\\n  ');
    case 'pull-request':
      return [`curl -X POST ${to('issues/ISSUE_ID/pull-request/')}`, authorization].join(' \\\n  ');
  }
}
