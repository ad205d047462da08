// A text that has grown past what GitHub takes: it loses its folds, whole, and is still found again.

import { renderMarkdown } from 'causeway-github-double';
import type { Redactor } from 'causeway-redact';
import { expect, it } from 'vitest';
import { publishingHouse, SHOP } from './publishing-house.ts';

it('leaves without its folds, so that no cut sets free what stood in code, and is found by its marker', async () => {
  const grown = (text: string) =>
    text.replace('</summary>', `</summary>\n\n\`\`\`\n${'@octo/everyone '.repeat(5_000)}\n\`\`\`\n`);
  await using house = await publishingHouse({
    deps: { redactor: { redact: async (text: string) => grown(text) } as Redactor },
  });
  await house.ask();
  await house.conclude();
  await house.settle();
  const [ours] = house.comments();
  expect(ours?.body.length).toBeLessThan(20_000);
  expect(ours?.body).toContain('The details were too long');
  const shown = renderMarkdown(ours?.body ?? '', { repository: SHOP, webUrl: house.double.webUrl });
  expect(shown.mentions).toEqual([]);
  await house.settle();
  expect(house.comments()).toHaveLength(1);
});
