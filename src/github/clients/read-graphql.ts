// What a GraphQL answer with `errors` means: it arrives with status 200 whatever went wrong.
import { GithubFailure } from './github-clients.ts';
import { limited } from './limit-words.ts';
import { heldBack } from './limits.ts';
import { type Answer, type Asked, errorsOf, lacksPermission, textAt, wordsOf } from './read-failure.ts';

/** Null where the answer has no errors. */
export function graphqlFailure(answer: Answer, asked: Asked): GithubFailure | null {
  const errors = errorsOf(answer.data);
  if (errors.length === 0) return null;
  const { status } = answer;
  const said = wordsOf(answer.data);
  const failed = (kind: 'gone' | 'refused' | 'unsure', message: string) =>
    new GithubFailure({ kind, status, retryAt: null, said }, message);
  const types = new Set(errors.map((error) => textAt(error, 'type')));
  if (types.has('RATE_LIMITED') || /secondary rate limit/i.test(said)) {
    const retryAt = heldBack(answer.headers, asked);
    return new GithubFailure({ kind: 'busy', status, retryAt, said }, limited(retryAt));
  }
  if (errors.some(isFaultOfGithub)) {
    return failed(
      'unsure',
      `GitHub failed while it worked on "${asked.route}"; that may have happened. It is tried again.`,
    );
  }
  if (types.has('FORBIDDEN') || types.has('INSUFFICIENT_SCOPES'))
    return failed('refused', lacksPermission(asked.route));
  if (types.has('NOT_FOUND')) {
    return failed(
      'gone',
      `GitHub does not show this App what "${asked.route}" names: it was deleted, or access was lost.`,
    );
  }
  if (types.has('STALE_DATA')) {
    return failed('refused', `GitHub did not accept "${asked.route}": somebody else has moved what it builds on.`);
  }
  return failed('refused', `GitHub did not accept "${asked.route}": it is not valid for what is there now.`);
}

/** Timeouts and inner faults carry no type, or one that says so; what the query got wrong has `extensions.code`. */
function isFaultOfGithub(error: unknown): boolean {
  const type = textAt(error, 'type');
  if (type !== '') return /^(INTERNAL|SERVICE_UNAVAILABLE|TIMEOUT)/.test(type);
  const extensions: unknown = typeof error === 'object' && error !== null ? Reflect.get(error, 'extensions') : null;
  return textAt(extensions, 'code') === '';
}
