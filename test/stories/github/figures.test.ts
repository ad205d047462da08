// What an operator of the service over GitHub sees: deliveries and calls as they were, one id through all of it, and what is shipped to show it.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { parse } from 'yaml';
import { formatDuration } from '../../../src/core/issue/effort.ts';
import type { Issue } from '../../../src/core/issue/issue.ts';
import { openDesk } from '../../support/github-desk.ts';
import { shopScript } from '../../support/github-shop.ts';
import { type GithubStage, openGithubStage } from '../../support/github-stage.ts';
import { samplesOf, sum } from '../../support/metrics-of.ts';

const TOKEN = 'a-token-for-those-who-operate';
const DEPLOY = path.join(import.meta.dirname, '..', '..', '..', 'deploy');

let stage: GithubStage;
let text: string;

beforeAll(async () => {
  stage = await openGithubStage({
    script: await shopScript(),
    env: { METRICS_TOKEN: TOKEN, LOG_LEVEL: 'debug' },
  });
  const { address } = stage.service();
  const desk = await openDesk(stage, 'corner/till');
  desk.label('mara');
  await desk.pull();
  await stage.rest();
  const forged = { 'Content-Type': 'application/json', 'X-Hub-Signature-256': `sha256=${'0'.repeat(64)}` };
  await fetch(`${address}/api/github/webhooks`, { method: 'POST', headers: forged, body: '{}' });
  const answer = await fetch(`${address}/metrics`, { headers: { Authorization: `Bearer ${TOKEN}` } });
  text = await answer.text();
});
afterAll(() => stage[Symbol.asyncDispose]());

const of = (name: string, labels = {}) => sum(text, `causeway_${name}`, labels);

it('counts deliveries as they were sent, and each that was stored as handled once', () => {
  const sent = stage.double.webhooks.deliveries(stage.double.app.id);
  const answered = (status: string) =>
    of('http_request_duration_seconds_count', { route: '/api/github/webhooks', status });
  expect(answered('401')).toBe(1);
  expect(answered('202')).toBe(sent.filter(({ statusCode }) => statusCode === 202).length);
  const jobs = ['delivery', 'urgent-delivery'].map(
    (kind) => of('job_duration_seconds_count', { kind, outcome: 'done' }) ?? 0,
  );
  expect(jobs.reduce((all, one) => all + one)).toBeGreaterThan(0);
});

it('counts calls to GitHub as GitHub saw them, and nobody’s name', () => {
  const asked = stage.double.requests.filter(({ path: where }) => !/\.git\//.test(where));
  const byStatus = (status: number) => asked.filter((one) => Math.floor(one.status / 100) === status).length;
  const count = (status: string) => of('github_request_duration_seconds_count', { status }) ?? 0;
  expect([count('2xx'), count('4xx')]).toEqual([byStatus(2), byStatus(4)]);
  expect(of('github_request_duration_seconds_count')).toBe(asked.length);
  expect(of('investigation_duration_seconds_count', { origin: 'github-issue', outcome: 'code_fix' })).toBe(1);
  expect(of('ready', { check: 'github' })).toBe(1);
  expect(text).not.toMatch(/corner|till|mara|installation \d/);
});

it('tells one duration, from the request to the answer, and one cost: in the comment, the API and the metrics', async () => {
  const api = await stage.api('mara');
  const [id = ''] = (await api.project()).issueIds;
  const { analysis, createdAt } = await api.get<Issue>(`/api/v1/issues/${id}/`);
  const { investigationId, usage } = analysis;
  const asked = await api.get<{ createdAt: string }>(`/api/v1/investigations/${investigationId}/`);
  const seconds = (Date.parse(createdAt) - Date.parse(asked.createdAt)) / 1_000;
  expect(usage).toMatchObject({ seconds, costUsd: 0 });
  const [comment] = stage.ourComments('corner/till', 1);
  expect(comment?.body).toContain(`<sub>${formatDuration(seconds)} · \`scripted\` · `);
  expect(comment?.body).toContain(' · $0 (script) · ');
  expect(of('investigation_duration_seconds_sum', { origin: 'github-issue' })).toBeCloseTo(seconds, 6);
  expect(of('model_cost_dollars_total')).toBe(0);
});

it('leads from the delivery to the run, its questions, and all that was said on GitHub, by one id', () => {
  const lines = stage
    .service()
    .output()
    .split('\n')
    .filter((line) => line.startsWith('{"level"'))
    .map((line) => JSON.parse(line));
  const begun = lines.find(({ delivery, investigation }) => delivery !== undefined && investigation !== undefined);
  const ours = lines.filter(({ investigation }) => investigation === begun?.investigation);
  const told = new Set(ours.map(({ kind, msg }) => `${kind}: ${msg}`));
  for (const line of ['run: job', 'run: model call', 'publish: job', 'publish: GitHub call']) {
    expect(told).toContain(line);
  }
  expect([...told].some((line) => /delivery: job$/.test(line))).toBe(true);
  const brought = lines.filter(({ delivery, job }) => delivery === begun?.delivery && job === undefined);
  expect(brought.map(({ msg }) => msg)).toEqual(['delivery received']);
});

interface Query {
  readonly where: string;
  readonly expr: string;
}

function queries(): readonly Query[] {
  const board = JSON.parse(readFileSync(path.join(DEPLOY, 'grafana', 'causeway.json'), 'utf8'));
  const rules = parse(readFileSync(path.join(DEPLOY, 'prometheus', 'alerts.yaml'), 'utf8'));
  const panels: readonly { title: string; targets?: readonly { expr: string }[] }[] = board.panels;
  const alerts: readonly { alert: string; expr: string }[] = rules.groups.flatMap(
    ({ rules: of }: { rules: readonly object[] }) => of,
  );
  return [
    ...panels.flatMap(({ title, targets = [] }) => targets.map(({ expr }) => ({ where: title, expr }))),
    ...alerts.map(({ alert, expr }) => ({ where: alert, expr })),
  ];
}

it('is shipped with a dashboard and alerts that ask for no figure, label or value that is not there', () => {
  const samples = samplesOf(text);
  const names = new Set(samples.map(({ name }) => name));
  const wrong: string[] = [];
  let asked = 0;
  for (const { where, expr } of queries()) {
    for (const [, name = '', selector = ''] of expr.matchAll(/\b((?:causeway|nodejs|process)_\w+)(?:\{([^}]*)\})?/g)) {
      asked += 1;
      if (!names.has(name)) wrong.push(`${where}: ${name}`);
      for (const [, label = '', matcher = '', value = ''] of selector.matchAll(/(\w+)(=~|=|!=|!~)"([^"]*)"/g)) {
        if (label === 'instance') continue;
        const values = new Set(samples.filter((one) => one.name === name).map(({ labels }) => labels[label]));
        const wanted = matcher.includes('~') ? value.split('|') : [value];
        for (const one of wanted) if (!values.has(one)) wrong.push(`${where}: ${name}{${label}="${one}"}`);
      }
    }
    for (const [, labels = ''] of expr.matchAll(/by \(([^)]*)\)/g)) {
      const inExpr = samples.filter(({ name }) => expr.includes(name.replace(/_(count|sum)$/, '')));
      const known = new Set(['instance', 'le', ...inExpr.flatMap((one) => Object.keys(one.labels))]);
      for (const label of labels.split(/,\s*/)) if (!known.has(label)) wrong.push(`${where}: by ${label}`);
    }
  }
  expect(wrong).toEqual([]);
  expect(asked).toBeGreaterThan(35);
});

it('has each figure in its table for operators', () => {
  const table = readFileSync(path.join(DEPLOY, '..', 'docs', 'operating.md'), 'utf8');
  const named = new Set([...table.matchAll(/`(causeway_\w+|…_\w+)`/g)].map(([, name = '']) => name));
  const told = [...text.matchAll(/^# HELP (causeway_\w+)/gm)].map(([, name = '']) => name);
  const missing = told.filter(
    (name) => !named.has(name) && ![...named].some((end) => name.endsWith(end.replace('…', '')) && end.startsWith('…')),
  );
  expect(missing).toEqual([]);
  expect([...named].filter((name) => name.startsWith('causeway_') && !told.includes(name))).toEqual([]);
});

it('says at each alert what to do', () => {
  const rules = parse(readFileSync(path.join(DEPLOY, 'prometheus', 'alerts.yaml'), 'utf8'));
  const all: readonly { alert: string; annotations: { summary: string; runbook: string } }[] = rules.groups[0].rules;
  expect(all.length).toBeGreaterThan(10);
  expect(
    all.filter(({ annotations }) => !(annotations.summary.length > 20 && annotations.runbook.length > 60)),
  ).toEqual([]);
  expect(new Set(all.map(({ alert }) => alert)).size).toBe(all.length);
});
