// The demo project of local mode: made at the first start, with one Issue to look at.
import type { Config } from '../config.ts';
import type { Project } from '../core/project.ts';
import { DEFAULT_SETTINGS } from '../core/settings.ts';
import { acceptReport } from '../services/accept-report.ts';
import { investigate } from '../services/investigate.ts';
import type { Investigator } from '../services/investigator.ts';
import type { House } from './house.ts';
import { openInvestigator } from './open-investigator.ts';
import { DEMO_SCRIPT, shippedDemo } from './shipped-demo.ts';

const REFERENCE = "Example that ships with Causeway: the model's answers come from a script";

/** The script costs nothing, so the operator's budgets neither pay for it nor cut it short. */
const FREE = { prompt: 0, cached: 0, completion: 0 };
const UNLIMITED = { run: 1_000, repository: 1e9, all: 1e9 };

type DemoConfig = Pick<Config, 'environment' | 'investigationTimeoutMs'>;

/**
 * Runs the real investigation of the demo's report, with the script in place of the model. To be called before work starts. A failure is logged
 * only: a start must not fail because of an example.
 */
export async function makeDemoIssue(
  house: House,
  project: Project,
  config: DemoConfig,
  signal: AbortSignal,
): Promise<void> {
  try {
    await investigateDemo(house, project, config, signal);
  } catch (error) {
    if (!signal.aborted) house.log.warn({ err: error }, 'could not make the example issue of the demo project');
  }
}

async function investigateDemo(house: House, project: Project, config: DemoConfig, signal: AbortSignal): Promise<void> {
  const accepted = await acceptReport(house, {
    projectId: project.id,
    accountId: house.account.id,
    origin: 'api',
    text: shippedDemo().report,
    reference: REFERENCE,
    revision: '',
    callbackUrl: '',
    isTrusted: true,
    // Left over by a crash, it is finished without the operator's own model: an example must not cost anything.
    settings: { ...DEFAULT_SETTINGS, useModel: false },
    fresh: true,
  });
  const run =
    accepted.kind === 'accepted' ? await house.store.startRun(accepted.runId, house.now().toISOString()) : null;
  if (run === null) return;
  await using scripted = openScripted(house, config);
  const deps = { ...house, timeoutMs: config.investigationTimeoutMs, investigator: scripted.investigator };
  await investigate(deps, { ...run, settings: DEFAULT_SETTINGS }, signal);
}

function openScripted(
  { log, now }: House,
  { environment }: DemoConfig,
): AsyncDisposable & { readonly investigator: Investigator | null } {
  const model = { kind: 'scripted', file: DEMO_SCRIPT } as const;
  const config = { model, budget: UNLIMITED, monitoringFile: null, environment };
  const opened = openInvestigator({ config, log, now, patienceMs: 0 });
  const { investigator } = opened;
  return {
    investigator: investigator && { ...investigator, model: { ...investigator.model, prices: FREE } },
    [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose](),
  };
}
