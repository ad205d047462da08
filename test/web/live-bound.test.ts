// Live pages count among the answers that are held open for an account.
import { expect, it } from 'vitest';
import { webGround } from './web-ground.ts';

it('a live page beyond the 200 of an account is 429 in words, and is there again once one of them ends', async () => {
  await using ground = await webGround();
  const { investigationId } = await ground.accepted();
  const path = `/investigations/${investigationId}/live`;
  const open = await Promise.all(Array.from({ length: 200 }, () => ground.visitor.get(path)));
  expect(new Set(open.map(({ status }) => status))).toEqual(new Set([200]));
  const refused = await ground.visitor.get(path);
  expect(refused.status).toBe(429);
  expect(await refused.text()).toContain('Too many live pages are open');
  await open[0]?.body?.cancel();
  const again = await ground.visitor.get(path);
  expect(again.status).toBe(200);
  for (const { body } of [...open.slice(1), again]) await body?.cancel();
});
