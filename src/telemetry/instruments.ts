// The numbers that are counted as things happen, by name: one registry for a process, labels from bounded sets alone.
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';

export type Instruments = ReturnType<typeof createInstruments>;

/** From a look into a table to a run that takes its ten minutes and its ending. */
const JOB_SECONDS = [0.01, 0.05, 0.25, 1, 5, 15, 60, 180, 600, 1_800];
/** From acceptance to the end, waits for a model or a limit included. */
const INVESTIGATION_SECONDS = [1, 5, 15, 60, 180, 600, 1_800, 3_600, 14_400, 86_400];
const MODEL_SECONDS = [0.5, 1, 2.5, 5, 10, 20, 40, 80, 160, 320, 640];
const HTTP_SECONDS = [0.005, 0.025, 0.1, 0.25, 1, 2.5, 10, 30];
const CALL_SECONDS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20];

export function createInstruments(registry: Registry, version: string) {
  const counter = <T extends string>(name: string, help: string, labelNames: readonly T[]) =>
    new Counter({ name: `causeway_${name}`, help, labelNames, registers: [registry] });
  const seconds = <T extends string>(
    name: string,
    help: string,
    { labelNames, buckets }: { readonly labelNames: readonly T[]; readonly buckets: number[] },
  ) => new Histogram({ name: `causeway_${name}`, help, labelNames, buckets, registers: [registry] });
  const build = new Gauge({
    name: 'causeway_build_info',
    help: 'Always 1; the labels say which Causeway this is, and on which Node.',
    labelNames: ['version', 'node'],
    registers: [registry],
  });
  build.set({ version, node: process.versions.node }, 1);
  return {
    jobs: counter('jobs_total', 'Tries of jobs by what came of them; dead: given up after the last.', [
      'kind',
      'outcome',
    ]),
    jobSeconds: seconds('job_duration_seconds', 'How long one try of a job took.', {
      labelNames: ['kind', 'outcome'],
      buckets: JOB_SECONDS,
    }),
    investigations: counter('investigations_total', 'Investigations that ended, by where their report came from.', [
      'origin',
      'outcome',
    ]),
    investigationSeconds: seconds('investigation_duration_seconds', 'From the acceptance of a report to its end.', {
      labelNames: ['origin', 'outcome'],
      buckets: INVESTIGATION_SECONDS,
    }),
    ...modelInstruments(counter, seconds),
    github: seconds('github_request_duration_seconds', 'Requests to the API of GitHub, by the class of their status.', {
      labelNames: ['status'],
      buckets: CALL_SECONDS,
    }),
    deliveries: counter('deliveries_total', 'Deliveries that arrived, by how they were answered.', ['result']),
    deliveriesEnded: counter('deliveries_ended_total', 'Stored deliveries that were handled, or given up.', ['result']),
    webhooks: counter('webhook_attempts_total', 'Attempts to tell a caller; abandoned: it was the last.', ['result']),
    http: seconds('http_request_duration_seconds', 'Requests by route, until their answer began.', {
      labelNames: ['method', 'route', 'status'],
      buckets: HTTP_SECONDS,
    }),
  };
}

type MakeCounter = <T extends string>(name: string, help: string, labelNames: readonly T[]) => Counter<T>;
type MakeSeconds = <T extends string>(
  name: string,
  help: string,
  form: { readonly labelNames: readonly T[]; readonly buckets: number[] },
) => Histogram<T>;

function modelInstruments(counter: MakeCounter, seconds: MakeSeconds) {
  return {
    modelRequests: counter('model_requests_total', 'Questions to the model, by what came of them.', [
      'model',
      'outcome',
    ]),
    modelSeconds: seconds('model_request_duration_seconds', 'One question, its retries included.', {
      labelNames: ['model'],
      buckets: MODEL_SECONDS,
    }),
    modelTokens: counter('model_tokens_total', 'Tokens; cached ones are counted among those that went in, too.', [
      'model',
      'direction',
    ]),
    modelCost: counter('model_cost_dollars_total', 'US dollars as budgets book them; see MODEL_PRICES.', ['model']),
  };
}
