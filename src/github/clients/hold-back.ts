// Nothing is sent while GitHub wants to hear nothing: whoever goes on asking is shut out for longer.
import { GithubFailure } from './github-clients.ts';
import { minuteOf } from './limit-words.ts';
import type { Patience } from './patience.ts';
import type { Asked } from './read-failure.ts';
import { resourceOf } from './route.ts';

const DISBELIEVED_MS = 60_000;

interface Way {
  readonly apiUrl: string;
  readonly now: () => Date;
  readonly patience: Patience;
}

/** Throws `busy` while a refusal holds, with the moment of its end. */
export function mayAsk(request: { readonly method: string; readonly url: string }, { patience, apiUrl }: Way): void {
  const hold = patience.held(resourceOf(request, apiUrl));
  if (hold !== null) throw new GithubFailure({ kind: 'busy', status: null, retryAt: hold.until }, hold.message);
}

/** GitHub answered 401, and no other credential is worth a try. As the App nothing is asked for a minute; a refused token ends its job. */
export function disbelieved(as: Asked['as'], { patience, now }: Way): void {
  if (as !== 'app') return;
  const until = new Date(now().getTime() + DISBELIEVED_MS);
  const message = `GitHub did not believe that we are the App (check APP_ID and PRIVATE_KEY); it is asked again at ${minuteOf(until)} UTC.`;
  patience.hold({ until, message }, null);
}
