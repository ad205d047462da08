// Runs the repository's workflow of Causeway as GitHub Actions would, so that the action can be tried without GitHub. It knows the form
// that `causeway init` writes: its events, the conditions in its `if`, and the step's permissions, inputs and environment.
import type { AppPermissions, GithubDouble } from 'causeway-github-double';
import { parse } from 'yaml';
import { createRunner, installActions } from '../support/actions-runner.ts';

interface Workflow {
  readonly on: Readonly<Record<string, { readonly workflows?: readonly string[] } | null>>;
  readonly jobs: Readonly<Record<string, Job>>;
}

interface Job {
  readonly permissions?: Readonly<Record<string, 'read' | 'write'>>;
  readonly steps: readonly {
    readonly with?: Readonly<Record<string, string>>;
    readonly env?: Readonly<Record<string, string>>;
  }[];
}

interface Payload {
  readonly action?: string;
  readonly repository?: { readonly id: number };
  readonly label?: { readonly name: string };
  readonly sender?: { readonly login: string };
  readonly comment?: { readonly body: string; readonly user: { readonly type: string } | null };
  readonly workflow_run?: { readonly name: string; readonly conclusion: string | null };
}

interface ActionsOptions {
  /** For the files of the jobs. */
  readonly folder: string;
  readonly owner: string;
  /** Where secrets are taken from, and MODEL where the step names none. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly say: (text: string) => void;
}

/** From now on for that repository; one job at a time. `settled` waits for all of them. */
export function startActions(
  double: GithubDouble,
  name: string,
  { folder, owner, environment, say }: ActionsOptions,
): { settled(): Promise<void> } {
  const runner = createRunner(double, installActions(double, owner), { folder, env: pickModel(environment) });
  let last: Promise<void> = Promise.resolve();
  const run = async (event: string, payload: Payload): Promise<void> => {
    const workflow = await readWorkflow(double, name);
    const [job] = Object.values(workflow?.jobs ?? {});
    const [step] = job?.steps ?? [];
    if (workflow === null || job === undefined || step === undefined || !isStarted(workflow, event, payload)) return;
    say(`\nA job of Causeway starts for ${event}${payload.action === undefined ? '' : ` (${payload.action})`}.\n`);
    const env = Object.entries(step.env ?? {}).map(([key, value]) => [key, readSecret(value, environment)] as const);
    const permissions = Object.fromEntries(
      Object.entries(job.permissions ?? {}).map(([key, level]) => [key.replaceAll('-', '_'), level]),
    ) as AppPermissions;
    const given = { payload, permissions, with: step.with ?? {}, env: Object.fromEntries(env) };
    const { code, log, summary } = await runner.run(event, name, given);
    const text = log.replaceAll(/^::.*\n/gm, '').trim();
    say(`${text}\nIt ended with ${code}. Its summary:\n\n${summary.trim()}\n`);
  };
  double.onEvent((event, payload) => {
    const told = structuredClone(payload) as Payload;
    if (told.repository?.id !== double.repository(name).id) return;
    last = last.then(() => run(event, told)).catch((error: unknown) => say(`${String(error)}\n`));
  });
  return { settled: () => last };
}

async function readWorkflow(double: GithubDouble, name: string): Promise<Workflow | null> {
  const place = `refs/heads/${double.repository(name).defaultBranch}:.github/workflows/causeway.yml`;
  const text = await double.git(name, 'show', place).catch(() => null);
  return text === null ? null : (parse(text) as Workflow);
}

function isStarted({ on }: Workflow, event: string, payload: Payload): boolean {
  const { action, label, comment, workflow_run: run, sender } = payload;
  // What a workflow does with its own token starts none.
  if (!Object.hasOwn(on, event) || sender?.login === 'github-actions[bot]') return false;
  switch (event) {
    case 'issues':
      return action === 'labeled' && label?.name === 'analyse';
    case 'issue_comment':
      return action === 'created' && comment?.body.includes('/analy') === true && comment.user?.type !== 'Bot';
    case 'workflow_run':
      return (
        action === 'completed' &&
        (run?.conclusion === 'failure' || run?.conclusion === 'timed_out') &&
        on['workflow_run']?.workflows?.includes(run.name) === true
      );
    case 'workflow_dispatch':
      return true;
    default:
      return false;
  }
}

function readSecret(value: string, environment: ActionsOptions['environment']): string {
  const secret = /^\$\{\{ secrets\.(\w+) \}\}$/.exec(value)?.[1];
  return secret === undefined ? value : (environment[secret] ?? '');
}

function pickModel({ MODEL: model }: ActionsOptions['environment']): Readonly<Record<string, string>> {
  return model === undefined ? {} : { MODEL: model };
}
