// A commit that is red in a check which was green before, with the logs of both: they share a line that looks like the cause.
import { expect } from 'vitest';
import { BASE, HEAD, type HeadGround, headGround } from './head-ground.ts';
import { ON_MAIN, ofActions, at as time } from './store-samples.ts';

export const GREEN = 'a'.repeat(40);
export const NEXT = 'd'.repeat(40);

/** What a job prints whether it fails or not; of the secret nothing is kept, in this log and in that. */
function noise(name: string): readonly string[] {
  const parts = Array.from({ length: 100 }, (_, part) => `part ${part}`);
  return [...parts, `ERROR: the cache of ${name} hunter2-hunter2 is cold`, 'at src/cache.ts:7:1', ...parts];
}

/** The headline of the red log where nothing is known of the green one. */
export const SHOWN_ALONE = 'ERROR: the cache of sign [redacted] is cold';

function greenLog(name: string): string {
  return ['##[group]Run make', '##[endgroup]', ...noise(name)].join('\n');
}

export function redLog(name = 'sign'): string {
  const error = 'ERROR: no key for src/sign.ts:3:1';
  const end = '##[error]Process completed with exit code 1.';
  return ['##[group]Run make', '##[endgroup]', error, ...noise(name), end].join('\n');
}

/** The commits of the default branch are these, and the last is red. */
export async function greenGround(place = ON_MAIN): Promise<HeadGround> {
  const at = await headGround();
  at.world.places.set(HEAD, place);
  at.world.history.push(GREEN, BASE, HEAD, NEXT);
  return at;
}

/** The check was green at that commit; its run is known, unless told otherwise. */
export async function green(
  at: HeadGround,
  options: { name?: string; sha?: string; isKnown?: boolean; log?: string; seconds?: number } = {},
) {
  const { name = 'sign', sha = GREEN, isKnown = true, log = greenLog(name), seconds = -600 } = options;
  const { runId, endedAt } = at.run(name, 'green', { sha, log, endedAt: time(seconds) });
  const run = isKnown ? { runId } : {};
  await at.store.recordPassingCheck(at.project.id, { check: ofActions(name), sha, at: endedAt, ...run });
}

export function asked(at: HeadGround, verb: string): readonly string[] {
  return at.world.asked.filter((call) => call.startsWith(`${verb} `));
}

/** Of the only finding. */
export async function headline(at: HeadGround, sha = HEAD): Promise<string> {
  const { head, result } = await at.look(sha);
  expect(result).toEqual({ kind: 'done' });
  expect(head).toMatchObject({ state: 'red', findings: [{ verdict: 'code' }] });
  return head.findings[0]!.excerpt.headline;
}
