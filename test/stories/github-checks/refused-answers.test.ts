// Of an answer that the review refuses nobody sees a word: not on GitHub, in the API, in webhooks and chat messages, on pages or in the terminal.
import { expect, it } from 'vitest';
import { call, type Played } from '../../../packages/models/test/played.ts';
import { SUBSCRIPTION_FORMATS } from '../../../src/core/account/subscription.ts';
import { WEBHOOK_TYPES } from '../../../src/core/account/webhook.ts';
import { redStage } from '../../support/github-red-desk.ts';
import type { Failing } from '../../support/github-red-model.ts';
import { conclusion, stepWith } from '../../support/played-model.ts';
import { storedRows } from '../../support/records.ts';
import { webVisitor } from '../../support/web-visitor.ts';
import { webhookReceiver } from '../../support/webhook-receiver.ts';

/** What begins each word that only a refused answer has. */
const CANARY = /canary\w*/gi;
const FEES = 'const FEES = { standard: 390, express: 890 };';
const READ = { path: 'src/delivery.js' };

/** Every field of an answer, each with a word of its own. */
function answer(more: Readonly<Record<string, unknown>>): Parameters<typeof conclusion>[0] {
  return {
    outcome: 'code_fix',
    problem: 'canaryproblem',
    stepsToReproduce: ['canaryreproduction'],
    solutionSteps: ['canarysolution'],
    questions: ['canaryquestion'],
    suspects: [{ file: 'src/delivery.js', line: 3, function: 'canaryfunction', why: 'canarywhy' }],
    ruledOut: ['canaryruledout'],
    ...more,
  };
}

function claim(citations: readonly object[]): object {
  return { text: 'canaryclaim', citations, places: [{ file: 'src/delivery.js', line: 3 }] };
}

const INVENTED = claim([{ step: 1, quote: 'canaryquote(of, nothing)' }]);

const LOOK: Played = {
  say: 'canaryremark before.',
  calls: [call('read_files', { files: [READ] }), call('ci_log', {})],
};
const EDIT: Played = {
  say: 'canaryremark on the way.',
  calls: [call('replace', { path: READ.path, old: 'express: 890 };', new: 'express: 891, canaryedit: 1 };' })],
};

/** The same again where it is sent back. */
function concludes(
  more: Readonly<Record<string, unknown>> | ((asked: Parameters<typeof stepWith>[0]) => object),
): Played[] {
  const played: Played = (asked) => ({
    say: 'canaryremark at the end.',
    calls: [conclusion(answer((typeof more === 'function' ? more(asked) : more) as Readonly<Record<string, unknown>>))],
  });
  return [played, played];
}

const quotesFees: Parameters<typeof concludes>[0] = (asked) => ({
  rootCause: [claim([{ step: stepWith(asked, FEES), quote: FEES }])],
});

const TALK: Played = { say: 'canarytalk and no conclusion.' };

/** In which ways an answer to a red check is refused, by what fails, with the reason that is shown. */
const CHECKS: readonly { readonly of: Failing; readonly turns: readonly Played[]; readonly why: RegExp }[] = [
  {
    of: failing('a basket is worth its price', '1 !== 2'),
    turns: [LOOK, EDIT, ...concludes(quotesFees)],
    why: /wasn't about this failure/,
  },
  {
    of: failing('a parcel has a weight', '3 !== 4'),
    turns: [LOOK, EDIT, ...concludes({ rootCause: [INVENTED] })],
    why: /quotes nothing/,
  },
  {
    of: failing('a voucher is spent once', '5 !== 6'),
    turns: [LOOK, EDIT, ...concludes({ rootCause: [INVENTED] }).slice(1), TALK, TALK],
    why: /stopped investigating without a conclusion/,
  },
  {
    of: failing('a receipt names the shop', '7 !== 8'),
    turns: [
      { ...LOOK, say: 'The fees.' } as Played,
      { say: 'canaryremark', calls: [call('conclude', '{"outcome": "canaryoutcome", "problem": "canaryproblem"}')] },
      { say: 'canaryremark', calls: [call('conclude', '{"outcome": "canaryoutcome", "problem": "canaryproblem"}')] },
    ],
    why: /still had errors/,
  },
];

/** The same of reports over REST, by their first line. */
const REPORTS: readonly { readonly title: string; readonly turns: readonly Played[]; readonly why: RegExp }[] = [
  {
    title: 'Error: the delivery to Tuvalu is lost',
    turns: [
      LOOK,
      EDIT,
      ...concludes((asked) => ({
        rootCause: [
          claim([{ step: stepWith(asked, 'delivery to Tuvalu'), quote: 'Error: the delivery to Tuvalu is lost' }]),
        ],
      })),
    ],
    why: /quotes only the report/,
  },
  {
    title: 'Error: the delivery to Nauru is lost',
    turns: [
      LOOK,
      ...concludes((asked) => ({
        ...(quotesFees as (one: typeof asked) => object)(asked),
        outcome: 'already_fixed',
        fixedBy: ['deadbeef'],
      })),
    ],
    why: /names no commit/,
  },
  {
    title: 'Error: the delivery to Palau is lost',
    turns: [LOOK, ...concludes({ outcome: 'not_a_bug', rootCause: [INVENTED] })],
    why: /shows the intent/,
  },
  {
    title: 'Error: the delivery to Tonga is lost',
    turns: [LOOK, ...concludes({ outcome: 'action_recommended', rootCause: [INVENTED] })],
    why: /quotes nothing that shows the cause/,
  },
];

function failing(test: string, values: string): Failing {
  const frame = '    at TestContext.<anonymous> (file:///home/runner/work/shop/shop/test/basket.test.js:13:10)';
  return { test, at: 'test/basket.test.js:12:1', error: [`AssertionError: expected ${values}`, '', frame] };
}

const stage = redStage({
  turns: [...CHECKS, ...REPORTS.map(({ title, turns }) => ({ of: { ...failing(title, ''), test: title }, turns }))],
  env: { CALLBACK_ALLOW: '127.0.0.1', RATE_LIMIT: 'off' },
});

interface Listed {
  readonly id: string;
}

it('is nowhere: the title is what failed, the facts are in its place', async () => {
  await using receiver = await webhookReceiver();
  const desk = await stage.desk('corner/refused', { green: ['test'] });
  const api = await stage.api('mara', 'webhooks:write');
  for (const format of SUBSCRIPTION_FORMATS) {
    expect((await api.post('/api/v1/webhooks/', { url: receiver.url, format, types: WEBHOOK_TYPES })).status).toBe(201);
  }
  // What the double, webhooks and chats receive, the API answers and pages show, by where.
  const seen = new Map<string, string>();

  for (const [at, { of, why }] of CHECKS.entries()) {
    const { sha } = await desk.pull({
      branch: `change-${at}`,
      files: { 'src/basket.js': `export const basket = ${at};\n` },
    });
    await desk.run(sha, { test: of });
    const { words } = await stage.until(`a result of ${of.test}`, () =>
      desk.checkRuns(sha).find((shown) => why.test(shown.words)),
    );
    // Once, and not above a text that it refuses.
    expect(words.match(new RegExp(why, 'g'))).toHaveLength(1);
  }
  const { id: projectId } = await api.project(desk.name);
  for (const { title, why } of REPORTS) {
    const data = `${title}\n    at deliveryFee (src/delivery.js:8:10)\n`;
    const issue = await api.issue(await api.report({ projectId, data, callbackUrl: receiver.url }));
    expect(issue.analysis.reason).toMatch(why);
    expect([issue.problem.split('\n')[0], issue.diff.files]).toEqual([title, []]);
  }
  await stage.rest();

  const { issueIds } = await api.project(desk.name);
  const problems = await Promise.all(
    issueIds.map(async (id) => (await api.get<{ problem: string }>(`/api/v1/issues/${id}/`)).problem),
  );
  for (const { of } of CHECKS)
    expect(problems).toContainEqual(expect.stringMatching(new RegExp(`^${of.test}: AssertionError`)));

  const lists = ['projects', 'investigations', 'failures', 'outcomes', 'webhooks'].map((name) => `/api/v1/${name}/`);
  for (const path of lists) seen.set(path, await api.text(path));
  for (const name of ['investigations', 'failures']) {
    for (const { id } of await api.get<readonly Listed[]>(`/api/v1/${name}/`)) {
      seen.set(id, await api.text(`/api/v1/${name}/${id}/`));
      if (name === 'investigations') seen.set(`${id} events`, await api.text(`/api/v1/investigations/${id}/events/`));
    }
  }
  for (const id of issueIds) seen.set(id, await api.text(`/api/v1/issues/${id}/`));
  for (const [at, { body }] of receiver.deliveries.entries()) seen.set(`webhook ${at}`, body);
  for (const [at, { path, method, body }] of stage.double.requests.entries()) {
    if (method !== 'GET') seen.set(`GitHub ${at} ${path}`, String(body));
  }
  for (const [address, text] of await readPages()) seen.set(address, text);
  const replayed = issueIds.at(-1) ?? '';
  seen.set('replay', await stage.command('replay', replayed).catch((error: unknown) => String(error)));
  seen.set('log', stage.service().output());
  const rows = await storedRows<{ conclusion: string; steps: string }>(
    stage.dataDir,
    "select coalesce(conclusion, '') as conclusion, '' as steps from runs union all select '', action || result || analysis from steps",
  );
  seen.set('records', JSON.stringify(rows));

  expect([seen.size > 80, receiver.deliveries.length > 20]).toEqual([true, true]);
  const found = [...seen].flatMap(([where, text]) => [...text.matchAll(CANARY)].map(([word]) => `${word} in ${where}`));
  expect(found).toEqual([]);
});

/** All pages of the account area that lead from one to the other. */
async function readPages(): Promise<ReadonlyMap<string, string>> {
  stage.double.signIns.signedIn = 'mara';
  const visitor = webVisitor(stage.service().address);
  const out = await visitor.send('/sign-in', '/sign-in', { return: '' });
  await visitor.open(out.headers.get('location') ?? '');
  const pages = new Map<string, string>();
  const ahead = ['/projects'];
  for (let next = ahead.shift(); next !== undefined && pages.size < 300; next = ahead.shift()) {
    if (pages.has(next)) continue;
    const { text } = await visitor.open(next);
    pages.set(next, text);
    for (const [, href = ''] of text.matchAll(/href="(\/(?!docs|assets|account)[^"#]*)/g))
      ahead.push(href.replaceAll('&amp;', '&'));
  }
  return pages;
}
