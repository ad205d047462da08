// What a commit says of itself reaches callers as plain text: no escape sequence, nothing that cannot be seen.
import { expect, it } from 'vitest';
import { gitRepository } from '../../packages/git-objects/test/git-repository.ts';
import { apiClient } from '../support/api-client.ts';
import { printedToken, startService, temporaryFolder } from '../support/service.ts';
import { webhookReceiver } from '../support/webhook-receiver.ts';

const REPORT = `TypeError: Cannot read properties of undefined (reading 'discount')
    at totalOfCart (/srv/shop/src/total.js:3:12)
    at checkOut (/srv/shop/src/check-out.js:2:10)
`;
const LINK = '\u001b]8;;http://e.vil\u0007';
/** Escape sequences as JSON writes them, other control characters but tab and line feed, and what turns text around or cannot be seen. */
const ACTING =
  /\\u00(?:0[0-8bcef]|1[0-9a-f]|7f|9[0-9a-f])|[\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2066-\u2069]|\\[bfr]|e\.vil/i;

it('escape sequences and bidirectional controls of a commit, a path and a line come neither by GET nor by webhook', async () => {
  await using repository = await gitRepository();
  const code = (name: string) =>
    `import { a } from './a.js';\nexport function ${name}(cart) {\n\treturn cart.discount; // \u001b[31mred\u202e\n}\n`;
  const files = { 'src/total.js': code('totalOfCart'), 'src/check-out.js': code('checkOut') };
  await repository.commit(files, 'Shop');
  const strange = { [`src/to${LINK}tal\u202ecopy.js`]: code('totalOfCart') };
  const author = `Ada \u001b[2J\u2066Example`;
  const subject = `Rework ${LINK}totals\u001b]8;;\u0007 \u202eagain\u009b31m`;
  await repository.commit({ ...strange, 'src/total.js': `${files['src/total.js']}// more\n` }, subject, { author });
  repository.git('commit', '--quiet', '--amend', '--no-edit', `--author=${author} <a@example.com>`);
  await repository.commit({ 'src/total.js': code('totalOfCart').replace('return', `return ${'0 +'}`) }, subject, {
    author,
  });
  await using folder = await temporaryFolder();
  await using receiver = await webhookReceiver();
  const env = { CALLBACK_ALLOW: '127.0.0.1' };
  await using service = await startService({ projects: [repository.path], dataDir: folder.path, env });
  const api = apiClient(service.address, printedToken(service));
  const { id: projectId } = await api.project();
  const investigation = await api.report({ projectId, data: REPORT, callbackUrl: receiver.url });
  const { issueId, state } = await api.end(investigation);
  expect(state).toBe('concluded');
  const [told] = await receiver.received(1);
  for (const text of [await api.text(`/api/v1/issues/${issueId}/`), await api.text(investigation), told?.body ?? '']) {
    expect(text.match(new RegExp(`.{0,60}(?:${ACTING.source})`, 'i'))?.[0] ?? '').toBe('');
  }
  const issue = told?.body ?? '';
  expect(issue).toContain('Rework totals again');
  expect(issue).toContain('\\treturn 0 + cart.discount; // red');
});
