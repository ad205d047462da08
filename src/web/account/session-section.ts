// Where the person is signed in: each browser, and the way to end it.
import { html } from 'hono/html';
import { isSessionAlive, type Session } from '../../core/account.ts';
import { inertLine } from '../../core/inert-text.ts';
import { formTokenField } from '../form-token.ts';
import type { Html } from '../show.ts';
import type { SignedIn } from '../web-deps.ts';
import { badge, moment } from '../words.ts';

interface Around {
  readonly signedIn: SignedIn;
  readonly now: Date;
}

export function sessionSection(sessions: readonly Session[], { signedIn, now }: Around): Html {
  const alive = sessions.filter((session) => isSessionAlive(session, now));
  return html`<section aria-labelledby="sessions"><h2 id="sessions">Where you are signed in</h2>
<table class="cards log"><caption class="hidden">Browsers with a session of yours</caption>
<thead><tr><th scope="col">Browser, as it names itself</th><th scope="col">Signed in</th><th scope="col">Last seen</th>
<th scope="col"><span class="hidden">What to do</span></th></tr></thead>
<tbody>${alive.map((session) => row(session, signedIn))}</tbody></table>
<p class="hint">A session ends by itself after 12 hours without use, and 7 days after the sign-in.</p></section>`;
}

function row(session: Session, signedIn: SignedIn): Html {
  const isThis = session.id === signedIn.session.id;
  const client = inertLine(session.client, 200) || 'says nothing of itself';
  return html`<tr><th scope="row">${client}${isThis ? html` ${badge('this browser', 'good')}` : ''}</th>
<td data-label="Signed in">${moment(session.startedAt)}</td><td data-label="Last seen">${moment(session.lastSeenAt)}</td>
<td>${isThis ? signOutForm(signedIn) : endForm(session, signedIn)}</td></tr>`;
}

function signOutForm(signedIn: SignedIn): Html {
  return html`<form method="post" action="/sign-out">${formTokenField(signedIn)}<button>Sign out<span class="hidden"> of this browser</span></button></form>`;
}

function endForm({ id, startedAt }: Session, signedIn: SignedIn): Html {
  const which = `the session of ${startedAt.slice(0, 16).replace('T', ' ')} UTC`;
  return html`<form method="post" action="/account/sessions/${id}/end">${formTokenField(signedIn)}
<button class="danger">End<span class="hidden"> ${which}</span></button></form>`;
}
