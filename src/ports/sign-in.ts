// The door to signing in with GitHub: where the browser is sent, and who comes back.
import { CausewayError } from '../core/errors.ts';
import type { Person } from '../core/thread.ts';

export interface GithubSignIn {
  /** Where the browser is sent. `challenge`: of the verifier, S256. */
  address(request: { readonly state: string; readonly challenge: string; readonly redirectUri: string }): string;
  /**
   * Who the code stands for. The token that GitHub gives for it is used for two questions and handed back; it is kept nowhere. Throws SignInRefused
   * where it is nobody who may sign in, or the code is none, `github_failed` where GitHub gave no answer that can be used.
   */
  person(
    answer: { readonly code: string; readonly verifier: string; readonly redirectUri: string },
    signal: AbortSignal,
  ): Promise<Person>;
}

/** GitHub does not take the code, or the person has nothing here; the message says it to them, with the repair. */
export class SignInRefused extends CausewayError {
  readonly kind: 'code' | 'person';

  constructor(kind: 'code' | 'person', message: string) {
    super('invalid', message);
    this.kind = kind;
  }
}
