// What comes of our comment when GitHub answers strangely: each fault strikes once, in a repository of its own.
import type { Fault } from '../github-double/faults.ts';
import { openDesk } from './github-desk.ts';
import type { GithubStage } from './github-stage.ts';

export interface StrangeAnswer {
  /** Names the repository. */
  readonly name: string;
  readonly fault: Fault;
  /** Default once. */
  readonly times?: number;
  /** Comments that stand there in the end. */
  readonly comments: 0 | 1;
}

const before = 'before';

/** Those after which it is clear within half a minute what came of them. */
export const STRANGE_ANSWERS: readonly StrangeAnswer[] = [
  { name: 'not-found', fault: { kind: 'answer', when: before, status: 404 }, times: 9, comments: 0 },
  { name: 'withheld', fault: { kind: 'answer', when: before, status: 451 }, times: 9, comments: 0 },
  { name: 'expired-token', fault: { kind: 'answer', when: before, status: 401 }, comments: 1 },
  { name: 'unknown-token', fault: { kind: 'answer', when: before, status: 401 }, times: 9, comments: 0 },
  { name: 'unicorn', fault: { kind: 'html', when: before, status: 502 }, comments: 1 },
  { name: 'page', fault: { kind: 'html', when: 'after', status: 200 }, comments: 1 },
  { name: 'reset', fault: { kind: 'reset', when: before }, comments: 1 },
  { name: 'half-json', fault: { kind: 'half_json' }, comments: 1 },
  { name: 'slow-down', fault: { kind: 'secondary_limit', status: 429, retryAfter: 1 }, comments: 1 },
];

/** Those that last as long as we wait for an answer. */
export const SLOW_ANSWERS: readonly StrangeAnswer[] = [
  { name: 'hang', fault: { kind: 'hang', when: before }, comments: 1 },
  { name: 'hang-after', fault: { kind: 'hang', when: 'after' }, comments: 1 },
  { name: 'drip', fault: { kind: 'drip', everyMilliseconds: 1_000, bytes: 1 }, comments: 1 },
];

export interface Came {
  readonly name: string;
  readonly comments: number;
  /** Requests that would have made the comment. */
  readonly tries: number;
}

/** Of a label in a stage without a model: there is one comment, the result. */
export async function outcomeOf(stage: GithubStage, strange: StrangeAnswer): Promise<Came> {
  const { name, fault, times = 1, comments } = strange;
  const path = new RegExp(`^/repos/corner/${name}/issues/1/comments$`);
  const desk = await openDesk(stage, `corner/${name}`);
  stage.double.faults.add({ method: 'POST', path, fault, times });
  const tries = () =>
    stage.double.requests.filter((request) => request.method === 'POST' && path.test(request.path)).length;
  desk.label('per');
  await stage.until(`a try at ${name}`, () => tries() > 0);
  if (comments === 1) await stage.until(`a comment at ${name}`, () => desk.ours().length > 0);
  await stage.rest();
  return { name, comments: desk.ours().length, tries: tries() };
}
