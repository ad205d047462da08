// Two owners under one service: words of one are in no question to the model, no page, no answer, no comment and no log line of the other.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { call } from '../../packages/models/test/played.ts';
import { type ShopModel, shopModel } from '../support/github-model.ts';
import { type GithubStage, openGithubStage } from '../support/github-stage.ts';
import { textsIn } from '../support/played-model.ts';
import { type WebVisitor, webVisitor } from '../support/web-visitor.ts';

interface Tenant {
  readonly owner: string;
  readonly repository: string;
  readonly person: string;
  /** Stands in its source, and nowhere else. */
  readonly inSource: string;
  /** Stands in its report, and nowhere else. */
  readonly inReport: string;
}

const CORNER: Tenant = {
  ...{ owner: 'corner', repository: 'corner/till', person: 'mara' },
  ...{ inSource: 'cornerSourceCanary4711', inReport: 'corner report canary 4712' },
};
const HARBOUR: Tenant = {
  ...{ owner: 'harbour', repository: 'harbour/crane', person: 'hana' },
  ...{ inSource: 'harbourSourceCanary0815', inReport: 'harbour report canary 0816' },
};
const BOTH = [
  [CORNER, HARBOUR],
  [HARBOUR, CORNER],
] as const;

let stage: GithubStage;
let model: ShopModel;

/** Everything that tells of a tenant. */
const signsOf = ({ repository, inSource, inReport, person }: Tenant) => [repository, inSource, inReport, person];
const saidIn = (text: string, tenant: Tenant) => signsOf(tenant).filter((sign) => text.includes(sign));

beforeAll(async () => {
  // The same file name, the same error and the same words in both: whatever is mixed up is mixed up here.
  model = await shopModel([
    {
      say: 'Where is it?',
      calls: [call('search_code', { query: 'Canary' }), call('read_files', { files: [{ path: 'src/total.js' }] })],
    },
    { say: 'There is nothing more to be found.' },
  ]);
  stage = await openGithubStage({
    env: { ...model.env, ALLOWED_OWNERS: 'corner,harbour' },
    prepare: async ({ people }) => {
      for (const { owner, repository, person, inSource } of [CORNER, HARBOUR]) {
        people.organization(owner, { owners: [`owner-of-${owner}`] });
        await people.openRepository(repository, { isPrivate: true });
        people.grant(repository, person, 'write');
        people.makeLabel(repository, 'analyse');
        const total = `export function totalOf(cart) {\n  const ${inSource} = cart.customer.discount;\n  return ${inSource};\n}\n`;
        await people.push(repository, { by: person, files: { 'src/total.js': total } });
        people.install(owner, { by: `owner-of-${owner}` });
      }
    },
  });
  await stage.rest();
  for (const { repository, person, inReport } of [CORNER, HARBOUR]) {
    const title = 'Totals crash';
    const body = `TypeError: Cannot read properties of undefined (reading 'discount')\n    at totalOf (/srv/app/src/total.js:2:9)\n\n${inReport}`;
    const { number } = stage.double.people.openIssue(repository, { by: person, title, body });
    stage.double.people.label(repository, number, 'analyse', person);
  }
  await stage.rest();
});

afterAll(async () => {
  await stage[Symbol.asyncDispose]();
  await model[Symbol.asyncDispose]();
});

/** Signs in with GitHub as that person. */
async function signedIn({ person }: Tenant): Promise<WebVisitor> {
  stage.double.signIns.signedIn = person;
  const visitor = webVisitor(stage.service().address);
  const out = await visitor.send('/sign-in', '/sign-in', { return: '' });
  const back = await visitor.get(out.headers.get('location') ?? '');
  const { status } = await visitor.open(back.headers.get('location') ?? '');
  if (status !== 200) throw new Error(`the sign-in of ${person} ended in ${status}`);
  return visitor;
}

/** Every page that can be reached by links from the list of projects, with what it says. */
async function pagesOf(visitor: WebVisitor): Promise<ReadonlyMap<string, string>> {
  const pages = new Map<string, string>();
  const queue = ['/projects', '/account/credentials', '/account/deliveries', '/account/audit', '/usage'];
  for (let next = queue.shift(); next !== undefined && pages.size < 80; next = queue.shift()) {
    if (pages.has(next)) continue;
    const answer = await visitor.get(next);
    if (answer.headers.get('Content-Type')?.startsWith('text/event-stream')) continue;
    const text = await answer.text();
    pages.set(next, text);
    for (const [, href = ''] of text.matchAll(/href="(\/(?!assets|docs|sign-out|api)[^"#]*)"/g)) {
      queue.push(href.replaceAll('&amp;', '&'));
    }
  }
  return pages;
}

describe('what one tenant owns', () => {
  it('is in the questions of its own investigations alone', () => {
    const asked = model.endpoint.requests.map((request) => textsIn(request).join('\n'));
    for (const [mine, other] of BOTH) {
      const ofMine = asked.filter((text) => text.includes(mine.inReport));
      expect(ofMine.length).toBeGreaterThan(0);
      expect(ofMine.some((text) => text.includes(mine.inSource))).toBe(true);
      expect(ofMine.flatMap((text) => saidIn(text, other))).toEqual([]);
    }
    expect(asked.filter((text) => BOTH.every(([mine]) => saidIn(text, mine).length === 0))).toEqual([]);
  });

  it('is on the pages of its own people alone, wherever their links lead', async () => {
    for (const [mine, other] of BOTH) {
      const pages = await pagesOf(await signedIn(mine));
      const text = [...pages.values()].join('\n');
      expect(saidIn(text, mine)).toEqual(signsOf(mine));
      expect([...pages].flatMap(([page, said]) => saidIn(said, other).map((sign) => `${page}: ${sign}`))).toEqual([]);
      expect(pages.size).toBeGreaterThan(8);
    }
  });

  it('is found by no address: pages and answers are those of what does not exist, to the byte', async () => {
    for (const [mine, other] of BOTH) {
      const theirPages = [...(await pagesOf(await signedIn(other))).keys()];
      const foreign = theirPages.filter((page) => /\/(?:prj|iss|inv)_\w{20}/.test(page));
      expect(foreign.length).toBeGreaterThan(2);
      const visitor = await signedIn(mine);
      for (const page of foreign) {
        const absent = page.replace(/((?:prj|iss|inv)_)\w{20}/, '$100000000000000000000');
        const [seen, none] = [await visitor.get(page), await visitor.get(absent)];
        expect([page, seen.status]).toEqual([page, 404]);
        const [said, wanted] = [await seen.text(), await none.text()];
        expect(withoutChance(said)).toBe(withoutChance(wanted));
      }
    }
  });

  it('is in no answer of the API to the other', async () => {
    const [mara, hana] = [await stage.api('mara'), await stage.api('hana')];
    for (const [api, mine, their, other] of [
      [mara, CORNER, hana, HARBOUR],
      [hana, HARBOUR, mara, CORNER],
    ] as const) {
      const list = await api.text('/api/v1/projects/');
      expect(saidIn(list, mine)).toEqual([mine.repository]);
      const all = list + (await api.text('/api/v1/investigations/'));
      expect(saidIn(all, other)).toEqual([]);
      const project = await their.project();
      for (const path of [
        `/api/v1/projects/${project.id}/`,
        ...project.issueIds.map((id) => `/api/v1/issues/${id}/`),
      ]) {
        expect([path, await api.status(path)]).toEqual([path, 404]);
        const absent = path.replace(/_\w{20}/, '_00000000000000000000');
        expect(withoutChance(await api.text(path))).toBe(withoutChance(await api.text(absent)));
      }
      const refusal = (projectId: string) => api.report({ data: 'x', projectId }).catch((error: unknown) => `${error}`);
      expect(await refusal(project.id)).toBe(await refusal('prj_00000000000000000000'));
      expect(await refusal(other.repository)).toMatch(/422/);
      const ofProject = await api.text(`/api/v1/investigations/?projectId=${project.id}`);
      expect(withoutChance(ofProject)).toBe(
        withoutChance(await api.text('/api/v1/investigations/?projectId=prj_00000000000000000000')),
      );
    }
  });

  it('is in no comment on the repository of the other, and in no line of the log at all', async () => {
    for (const [mine, other] of BOTH) {
      const comments = stage.ourComments(mine.repository, 1).map(({ body }) => body);
      expect(comments.length).toBeGreaterThan(0);
      expect(comments.flatMap((body) => saidIn(body, other))).toEqual([]);
    }
    const log = stage.service().output();
    expect(log.length).toBeGreaterThan(500);
    for (const { inSource, inReport } of [CORNER, HARBOUR]) {
      expect([inSource, inReport].filter((canary) => log.includes(canary))).toEqual([]);
    }
    const open = await Promise.all(
      ['/healthz', '/readyz', '/metrics'].map((path) => fetch(`${stage.service().address}${path}`)),
    );
    const said = (await Promise.all(open.map((answer) => answer.text()))).join('\n');
    expect([CORNER, HARBOUR].flatMap((tenant) => saidIn(said, tenant))).toEqual([]);
  });
});

/** The number of a request and the proof of a form are new on every answer. */
function withoutChance(text: string): string {
  return text.replaceAll(/req_\w+|value="[\w.-]{20,}"|_\w{20}/g, '…');
}
