// The list of an account's tokens: those that count first, revoked ones folded at the end.
import { html } from 'hono/html';
import type { TokenRecord } from '../../core/account.ts';
import { inertLine } from '../../core/inert-text.ts';
import { formTokenField } from '../form-token.ts';
import type { Html } from '../show.ts';
import type { SignedIn } from '../web-deps.ts';
import { badge, moment, plural } from '../words.ts';

interface Around {
  readonly signedIn: SignedIn;
  /** Projects that the person sees, by id; null: not known just now. */
  readonly names: ReadonlyMap<string, string> | null;
  readonly now: Date;
}

/** A token bound to hundreds of projects must not make the page. */
const MOST_NAMES = 5;

export function tokenSection(tokens: readonly TokenRecord[], around: Around): Html {
  const kept = tokens.filter(({ revokedAt }) => revokedAt === null);
  const revoked = tokens.filter(({ revokedAt }) => revokedAt !== null);
  return html`<section aria-labelledby="tokens"><div class="title-line"><h2 id="tokens">Auth tokens</h2>
<a class="button primary" href="/account/tokens/new">Create new auth token</a></div>
<p>Programs call the <a href="/docs">API</a> with them, in your name. Only a hash of each is kept, so none can be shown again.</p>
${kept.length === 0 ? nothing(revoked.length > 0) : table(kept, around, 'Tokens that are not revoked')}
${
  revoked.length === 0
    ? ''
    : html`<details id="revoked"><summary>${plural(revoked.length, 'revoked token')}</summary>${table(revoked, around, 'Revoked tokens')}</details>`
}</section>`;
}

function nothing(hadSome: boolean): Html {
  const sentence = hadSome ? 'Every token of yours is revoked.' : 'You have no token yet.';
  return html`<div class="empty"><p>${sentence} Create one to hand in reports from a script, a monitoring system or CI.</p></div>`;
}

function table(tokens: readonly TokenRecord[], around: Around, caption: string): Html {
  return html`<table class="cards log"><caption class="hidden">${caption}</caption>
<thead><tr><th scope="col">Name</th><th scope="col">May</th><th scope="col">Projects</th>
<th scope="col">Last used</th><th scope="col">Expires</th><th scope="col"><span class="hidden">What to do</span></th></tr></thead>
<tbody>${tokens.map((token) => row(token, around))}</tbody></table>`;
}

function row(token: TokenRecord, around: Around): Html {
  const name = inertLine(token.name, 100);
  return html`<tr><th scope="row"><strong>${name}</strong> <span class="cell-note"><code>${token.id}</code></span>
<span class="cell-note soft">made ${moment(token.createdAt)}</span></th>
<td data-label="May">${token.scopes.map((scope, at) => html`${at === 0 ? '' : ', '}<code>${scope}</code>`)}</td>
<td data-label="Projects">${boundOf(token, around)}</td>
<td data-label="Last used">${token.lastUsedAt === null ? 'never' : moment(token.lastUsedAt)}</td>
<td data-label="Expires">${standing(token, around.now)}</td>
<td>${token.revokedAt === null ? revokeForm(token, name, around.signedIn) : html`<span class="soft">revoked</span> ${moment(token.revokedAt)}`}</td></tr>`;
}

function standing({ expiresAt }: TokenRecord, now: Date): Html {
  if (expiresAt === null) return html`never`;
  if (Date.parse(expiresAt) > now.getTime()) return moment(expiresAt);
  return html`${badge('expired', 'bad')} ${moment(expiresAt)}`;
}

/** A bound that the person sees nothing of is still a bound: its projects are counted, not named. */
function boundOf({ projectIds }: TokenRecord, { names }: Around): Html {
  if (projectIds === null) return html`all of yours`;
  if (names === null) return html`${plural(projectIds.length, 'project')} (GitHub cannot be asked for names just now)`;
  const seen = projectIds.flatMap((id) => names.get(id) ?? []);
  const unseen = projectIds.length - seen.length;
  const parts = [
    ...seen.slice(0, MOST_NAMES).map((name) => inertLine(name, 120)),
    ...(seen.length > MOST_NAMES ? [`${seen.length - MOST_NAMES} more`] : []),
    ...(unseen > 0 ? [`${plural(unseen, 'project')} that you do not see now`] : []),
  ];
  return html`${parts.join(', ')}`;
}

function revokeForm({ id }: TokenRecord, name: string, signedIn: SignedIn): Html {
  return html`<form method="post" action="/account/tokens/${id}/revoke">${formTokenField(signedIn)}
<button class="danger">Revoke<span class="hidden"> ${name}</span></button></form>`;
}
