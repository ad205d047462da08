// What must hold of a report whose service was killed while a model investigated it.
import { execFileSync } from 'node:child_process';
import { toChangeSet, toUnifiedPatch } from 'causeway-diff';
import { expect } from 'vitest';
import { turnsIn } from '../../packages/models/test/played.ts';
import { treeAfterPatch } from './git-apply.ts';
import type { ModelKillPlan, ModelKillResult } from './model-kill-rounds.ts';
import { isSecondLook, textsIn } from './played-model.ts';
import { FIX_TURNS, MENDED } from './shop-fix.ts';
import { storedRun } from './stored-run.ts';

/** What the model asked for, each once and in this order. */
const ACTIONS = [
  /^search "customer\.discount"/,
  /^read src\/cart\/total\.js; src\/check-out\.js/,
  /^blame src\/cart\/total\.js/,
  /^history of src\/cart\/total\.js/,
  /^replace in src\/cart\/total\.js/,
  /^replace in src\/check-out\.js/,
  /^create docs\/guests\.md/,
  /^rename src\/greeting\.js/,
  /^delete src\/old-total\.js/,
];

/** What was asked again after a kill is what was asked before it, byte for byte; every later question begins with the earlier ones. */
function expectOneConversation(plan: ModelKillPlan, key: string): void {
  const asked = plan.model.endpoint.requests.filter((each) => !isSecondLook(each) && textsIn(each)[1]?.includes(key));
  const byTurn = new Map(asked.map((each) => [turnsIn(each), each]));
  for (const each of asked) expect(each.raw).toBe(byTurn.get(turnsIn(each))?.raw);
  const all = asked.map(({ body }) => body.messages);
  const longest = all.toSorted((a, b) => a.length - b.length).at(-1) ?? [];
  for (const messages of all) expect(messages).toEqual(longest.slice(0, messages.length));
}

/** Exactly one Issue with the right diff and one webhook; no recorded turn asked again; no step missing or twice; no money left aside. */
export async function expectOneFix(plan: ModelKillPlan, key: string, result: ModelKillResult): Promise<void> {
  const { issues, webhookIds, lives } = result;
  for (const { recorded, asked } of lives) for (const turn of asked) expect(turn).toBeGreaterThanOrEqual(recorded);
  expectOneConversation(plan, key);
  expect(issues).toHaveLength(1);
  expect(webhookIds).toHaveLength(1);
  for (const { analysis, diff, investigationSteps } of issues) {
    const turns = FIX_TURNS.length + (analysis.secondLook?.usage.turns ?? 0);
    expect(analysis).toMatchObject({ outcome: 'code_fix', partial: false, usage: { turns } });
    const read = (file: string) => textAt(plan.repository, `${analysis.revision}:${file}`);
    const patch = toUnifiedPatch(toChangeSet(analysis.revision, diff, read));
    expect(treeAfterPatch(plan.repository, analysis.revision, patch)).toEqual(MENDED);
    const first = investigationSteps.findIndex(({ action }) => ACTIONS[0]?.test(action));
    expect(investigationSteps.slice(first).map(({ action }) => action)).toEqual(
      ACTIONS.map((action) => expect.stringMatching(action)),
    );
    const facts = investigationSteps.slice(0, first).map(({ action }) => action);
    expect(facts[0]).toContain('read the report');
    expect(new Set(facts).size).toBe(facts.length);
  }
  const { turns, steps, money, jobs } = await storedRun(plan.dataDir, key);
  // Kept for a replay.
  expect(turns).toBe(FIX_TURNS.length);
  const [issue] = issues;
  expect(steps).toEqual(issue?.investigationSteps.map((_, index) => index + 1));
  expect([money.reserved, jobs]).toEqual([0, []]);
}

function textAt(repository: string, object: string): string | null {
  try {
    return execFileSync('git', ['cat-file', 'blob', object], { cwd: repository, stdio: 'pipe' }).toString();
  } catch {
    return null;
  }
}
