// The webhook signing secret on the page of credentials: what it is for, and the ways to see and to change it.
import { html } from 'hono/html';
import { formTokenField } from '../form-token.ts';
import type { Html } from '../show.ts';
import type { SignedIn } from '../web-deps.ts';
import { moment } from '../words.ts';
import { onceField } from './form-once.ts';
import type { SecretStanding } from './secret-standing.ts';

interface Around {
  readonly signedIn: SignedIn;
  /** Whether the sign-in is recent enough for keys. */
  readonly isRecent: boolean;
}

export function secretSection(standing: SecretStanding, { signedIn, isRecent }: Around): Html {
  return html`<section aria-labelledby="signing-secret"><h2 id="signing-secret">Webhook signing secret</h2>
<p>Signs every webhook that is sent for you, so that your receiver can tell it from a forged one. There is one for the account.</p>
<dl class="facts"><dt>Last rotated</dt><dd>${rotated(standing)}</dd></dl>
${standing.signing > 1 ? overlap(standing) : ''}
${isRecent ? buttons(standing, signedIn) : html`<p class="actions"><a class="button" href="/sign-in?return=%2Faccount%2Fsecurity-credentials&amp;again=1">Sign in again to show or rotate it</a></p>`}
</section>`;
}

function rotated({ rotatedAt }: SecretStanding): Html {
  if (rotatedAt === null) return html`not known any more`;
  return rotatedAt === 'never' ? html`never` : moment(rotatedAt);
}

function overlap({ overlapUntil }: SecretStanding): Html {
  const until = overlapUntil === '' ? html`24 hours after the rotation` : moment(overlapUntil);
  return html`<p class="notice">Two secrets sign until ${until}: the new one, and the one before it. Change your receivers over by then.</p>`;
}

/** A second rotation within a day takes the oldest away at once: receivers that still hold it refuse what is sent. */
function buttons({ signing }: SecretStanding, signedIn: SignedIn): Html {
  const consequence =
    signing > 1
      ? 'Rotating now makes a third, and the oldest stops signing at once: receivers that still hold it refuse every webhook.'
      : 'Rotating makes a new secret at once. Both sign for 24 hours, after that only the new one.';
  return html`<div class="actions">
<form method="post" action="/account/signing-secret/show">${formTokenField(signedIn)}<button>Show<span class="hidden"> the signing secret</span></button></form>
<form method="post" action="/account/signing-secret/rotate">${formTokenField(signedIn)}${onceField()}<button class="${signing > 1 ? 'danger' : ''}" aria-describedby="rotating">Rotate<span class="hidden"> the signing secret</span></button></form>
</div>
<p class="hint" id="rotating">${consequence}</p>`;
}
