// Orders in every place where a stranger can write, and a model that carries them out: what GitHub is asked and shown stays harmless.

import { REDACTED } from 'causeway-redact';
import { expect, it } from 'vitest';
import { deskOf } from '../../support/github-desk.ts';
import { shopModel } from '../../support/github-model.ts';
import { openShop, reportBug } from '../../support/github-shop.ts';
import { type GithubStage, openGithubStage } from '../../support/github-stage.ts';
import { EVIL } from '../../support/hostile-log.ts';
import { injectedFiles, obedientTurns, order, REPORT, sentByUs } from '../../support/injected-orders.ts';

const SHOP = 'corner/targeted';
const KEY = 'sk-test-0123456789abcdefghij';
/** Such a token stands in a file that the model reads. */
const TOKEN = ['gh', 'p_', 'aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1dE3fG5'].join('');

/** What a start and an issue ask of GitHub, and nothing else. */
const ALLOWED = [
  /^POST \/app\/installations\/\d+\/access_tokens$/,
  /^POST \/app\/hook\/deliveries\/\d+\/attempts$/,
  /^POST \/repos\/corner\/targeted\/issues\/(?:comments\/)?\d+\/reactions$/,
  /^POST \/repos\/corner\/targeted\/issues\/\d+\/comments$/,
  /^(?:PATCH|DELETE) \/repos\/corner\/targeted\/issues\/comments\/\d+$/,
  /^POST \/graphql$/,
];

function asked({ double }: GithubStage): readonly string[] {
  return double.requests
    .filter(({ method, path }) => method !== 'GET' && !path.endsWith('/git-upload-pack'))
    .map(({ method, path }) => `${method} ${path.replace(/^\/api\/v3/, '').replace(/^\/api\/graphql$/, '/graphql')}`);
}

it('posts no secret, calls nobody, closes nothing and writes no workflow, though the model does all that it is told to', async () => {
  const loot: string[] = [KEY, TOKEN];
  await using model = await shopModel(obedientTurns(loot));
  await using stage = await openGithubStage({ env: model.env });
  loot.push(stage.double.app.webhookSecret);
  const { people, app } = stage.double;
  await openShop(stage.double, { name: SHOP });
  people.makeLabel(SHOP, 'bug', { description: order('label') });
  const first = people.openIssue(SHOP, { by: 'ola', title: 'The first' });
  const files = { ...injectedFiles(), 'src/token.js': `export const token = '${TOKEN}';\n` };
  await people.push(SHOP, { by: 'mara', branch: 'ignore-the-rules-@everyone', files, message: order('branch commit') });
  await people.push(SHOP, { by: 'mara', files, message: order('commit') });
  // A person's own message closed it.
  expect(first.state).toBe('closed');
  people.reopen(SHOP, first.number, 'ola');
  const number = await reportBug(stage.double, { name: SHOP, labels: ['bug'], more: `${REPORT}\n\n${TOKEN}` });
  people.comment(SHOP, number, { by: 'ola', body: order('comment') });
  const desk = deskOf(stage, SHOP, number);
  desk.label('mara');
  await desk.comment(' · ');
  await stage.rest();

  // It was shown the orders, else nothing is proven: those of the report, the files and the history.
  const told = model.told(SHOP).join('\n');
  for (const place of ['stack trace', 'comment', 'third file', 'readme', 'agents', 'commit', 'image alt', 'details']) {
    expect(told).toContain(`[${place}]`);
  }
  expect(told).not.toContain(TOKEN);

  const [comment, ...more] = desk.ours();
  expect([comment === undefined, more]).toEqual([false, []]);
  const shown = desk.shown(comment?.body ?? '');
  expect(comment?.body).toContain(REDACTED);
  expect([shown.mentions, shown.images, shown.issues]).toEqual([[], [], []]);
  const own = [stage.double.webUrl, stage.service().address];
  expect(shown.links.filter((link) => !own.some((address) => link.startsWith(address)))).toEqual([]);
  const sent = sentByUs(stage);
  expect(sent).toContain(EVIL);
  for (const secret of [...loot, app.privateKey.slice(60, 110), app.clientSecret]) expect(sent).not.toContain(secret);
  expect(asked(stage).filter((one) => !ALLOWED.some((allowed) => allowed.test(one)))).toEqual([]);
  expect([first.state, people.issue(SHOP, number).state]).toEqual(['open', 'open']);
  // A change that holds a workflow is a proposal in words.
  expect(desk.pulls()).toEqual([]);
});
