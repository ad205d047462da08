// A proven pull request of somebody else, and what `causeway verify-proof` says of its certificate when that, or what it rests on, is changed.
import { condenseLog } from 'causeway-ci-log';
import type { ActionsRun, CheckRun, GithubIssue } from 'causeway-github-double';
import { formatVerifiedProof } from '../../src/cli/operator-text.ts';
import type { ForeignCertificate } from '../../src/core/proof/foreign-view.ts';
import { type ProofSource, verifyProof } from '../../src/github/verify/verify-proof.ts';
import { createCheckReader } from '../../src/services/checks/check-texts.ts';
import { openProvingShop, type ProvingShop, SHOWS, writeTests } from './foreign-proof.ts';
import type { GithubStage } from './github-stage.ts';
import { patience } from './patience.ts';

export const FIXED = 'test/lower-case.test.js';
const BLOCK = /```json\n([\s\S]*?)\n```/;

export interface ProvenPull {
  readonly shop: ProvingShop;
  readonly pull: GithubIssue;
  readonly head: string;
  /** As our check run on the head has it. */
  readonly certificate: ForeignCertificate;
  /** Has our check run say something else, as if the App itself had been led astray. */
  rewrite(change: object): void;
  /** What the command prints of a pull request, this one by default; what it throws, as a line. */
  verify(more?: Partial<Omit<AskedPull, 'name'>>): Promise<string>;
  /** The run of Actions behind a check of the certificate. */
  runOf(half: 'red' | 'green'): ActionsRun;
}

/** Its head has been proven with one added test. */
export async function openProven(stage: GithubStage, name: string, tests?: string): Promise<ProvenPull> {
  const shop = await openProvingShop(stage, name);
  const files = { [FIXED]: tests ?? writeTests({ 'takes lower case': SHOWS }), 'src/coupons.js': await shop.mended() };
  const pull = await shop.pull(files);
  await shop.prove(pull.number);
  return readProven(stage, shop, pull);
}

export function readProven(stage: GithubStage, shop: ProvingShop, pull: GithubIssue): ProvenPull {
  const head = pull.pull?.headSha ?? '';
  const { checkRuns, workflowRuns } = stage.double.repository(shop.name);
  const ours = () => [...checkRuns.values()].findLast((run) => run.headSha === head && run.name === 'Causeway / proof');
  const summary = ours()?.output.summary ?? '';
  const certificate = JSON.parse(BLOCK.exec(summary)?.[1] ?? '{}') as ForeignCertificate;
  return {
    ...{ shop, pull, head, certificate },
    rewrite: (change) => {
      const changed = formatBlock({ ...certificate, ...change });
      Object.assign(ours() ?? {}, { output: { ...ours()?.output, summary: summary.replace(BLOCK, () => changed) } });
    },
    verify: ({ number = pull.number, ...given } = {}) => verifyPull(stage, { name: shop.name, number, ...given }),
    runOf: (half) => {
      const url = certificate.checks[0]?.[half].url ?? '';
      const found = [...workflowRuns.values()].find(({ id }) => url.includes(`/actions/runs/${id}/`));
      if (found === undefined) throw new Error(`No run is at ${url}.`);
      return found;
    },
  };
}

export function formatBlock(certificate: object): string {
  return `\`\`\`json\n${JSON.stringify(certificate, null, 2)}\n\`\`\``;
}

interface AskedPull {
  readonly name: string;
  readonly number: number;
  /** Of a file. */
  readonly text?: object;
  /** Of a file without a pull request. */
  readonly alone?: object;
  /** Default: ours; null: any. */
  readonly app?: string | null;
  /** Default: mara. */
  readonly by?: string;
}

export async function verifyPull(
  { double }: GithubStage,
  { name, number, text, alone, app, by = 'mara' }: AskedPull,
): Promise<string> {
  await using reader = createCheckReader();
  const { apiUrl, webUrl, people } = double;
  const read = { readCheck: reader.readCheck, shortenLog: condenseLog };
  const options = { token: people.userToken(by), apiUrl, webUrl, userAgent: 'test', ...read };
  const asked = { ...options, app: app === undefined ? double.app.slug : app };
  const url = `${webUrl}/${name}/pull/${number}`;
  const source: ProofSource =
    alone === undefined
      ? { kind: 'pull', url, text: text === undefined ? null : JSON.stringify(text) }
      : { kind: 'text', text: JSON.stringify(alone) };
  try {
    return formatVerifiedProof(await verifyProof(source, asked, patience()), 'certificate.json');
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** The check that a certificate has of a run of one job. */
export function nameRun(run: CheckRun): { readonly url: string; readonly at: string } {
  return { url: run.detailsUrl ?? '', at: run.completedAt ?? '' };
}
