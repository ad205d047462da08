// The pages of calibration: figures as a table, the diagram, the threshold with its reason; and the outcome on an Issue's page.
import { describe, expect, it } from 'vitest';
import type { Fate, Vote } from '../../src/core/outcome.ts';
import { conclusion } from '../support/store-samples.ts';
import { contentOf, mainOf, rowsOf } from './read-page.ts';
import { repository, type WebGround, webGround } from './web-ground.ts';

const RELIABILITY = 'How often answers of each confidence were right';
const URL = 'https://github.com/octo/shop/pull/31';

/** An answer of that confidence with what became of it. */
async function followed(ground: WebGround, confidence: number, fate: Fate, votes: readonly Vote[] = []) {
  const { analysis } = conclusion();
  const found = { analysis: { ...analysis, outcome: 'code_fix', confidence } as const };
  const { issueId } = await ground.concluded({ text: `of ${Math.random()}`, conclusion: found });
  const { id = '' } = (await ground.store.findOutcomeOfIssue(issueId)) ?? {};
  const now = ground.clock.now.toISOString();
  await ground.store.saveLook(id, { fate, reactions: null, now });
  for (const vote of votes) await ground.store.recordVote(issueId, vote);
  return issueId;
}

const AT = '2026-11-19T10:00:00.000Z';
const MERGED: Fate = { kind: 'merged', url: URL, at: AT, commit: 'a'.repeat(40) };
const CLOSED: Fate = { kind: 'closed', url: URL, at: AT };

describe('the calibration of a project', () => {
  it('says that nothing is known, and where the threshold starts', async () => {
    await using ground = await webGround({ repositories: [repository('octo/shop')] });
    const page = await ground.visitor.page(`/projects/${ground.projects[0]?.id}/calibration`);
    expect(contentOf(page)).toContain('from a confidence of 0.78');
    expect(contentOf(page)).toContain('Nothing is known yet of 0 answers.');
    expect(page).not.toContain('<svg');
  });

  it('draws what its table says, and moves the threshold with its reason', async () => {
    await using ground = await webGround({ repositories: [repository('octo/shop')] });
    for (let at = 0; at < 14; at += 1) await followed(ground, 0.8, CLOSED);
    for (let at = 0; at < 3; at += 1) await followed(ground, 0.95, MERGED);
    const page = await ground.visitor.page(`/projects/${ground.projects[0]?.id}/calibration`);
    expect(rowsOf(page, RELIABILITY)).toEqual([
      ['80 % to 90 %', '14', '0', '0 %', '0 % to 22 %'],
      ['90 % to 100 %', '3', '3', '100 %', '44 % to 100 %'],
    ]);
    expect(page.match(/class="dot"/g)).toHaveLength(2);
    expect(contentOf(page)).toContain(
      'Raised to 0.85: of the fixes with a confidence from 0.78 to 0.85, 0 of 14 were right',
    );
    expect(contentOf(page)).toContain('That is few');
    const all = await ground.visitor.page('/calibration');
    expect(rowsOf(all, RELIABILITY)).toEqual(rowsOf(page, RELIABILITY));
  });

  it('says that the configuration fixes it', async () => {
    const settings = { threshold: 0.9 };
    await using ground = await webGround({ repositories: [repository('octo/shop')], settings });
    const page = await ground.visitor.page(`/projects/${ground.projects[0]?.id}/calibration`);
    expect(contentOf(page)).toContain('from a confidence of 0.9. It is set by');
  });
});

describe('the page of an Issue', () => {
  it('says in one line what became of it, and what people wrote, as text', async () => {
    await using ground = await webGround({ repositories: [repository('octo/shop')] });
    const why = 'No: <script>alert(1)</script> @mara';
    const vote: Vote = { personId: 9, source: 'command', vote: 'wrong', why, at: AT };
    const page = await ground.visitor.page(`/issues/${await followed(ground, 0.8, MERGED, [vote])}`);
    expect(contentOf(page)).toContain('What became of it');
    expect(contentOf(page)).toContain('Merged as it was');
    expect(contentOf(page)).toContain('1 person found it wrong');
    expect(mainOf(page)).not.toContain('<script>');
  });
});
