// Deliveries as GitHub sends them, signed, and a receiver over a real store.
import { createHmac, randomBytes, randomUUID } from 'node:crypto';
import { createSeal } from '../../../src/db/seal.ts';
import type { SqliteStore } from '../../../src/db/sqlite.ts';
import { createReceiver, type Receiver, type ReceiverOptions } from '../../../src/github/intake/receive-delivery.ts';
import { createLog } from '../../../src/log.ts';
import { createJobTable } from '../../../src/queue/job-table.ts';
import { clock } from '../../support/queue-samples.ts';
import { migratedStore } from '../../support/sqlite-template.ts';

export const SECRET = 'a webhook secret of more than 32 characters';

export interface DeliveryForm {
  readonly event?: string;
  readonly id?: string;
  readonly secret?: string;
  /** Undefined values leave a header out. */
  readonly headers?: Readonly<Record<string, string | undefined>>;
}

export function signatureOf(body: string | Uint8Array, secret = SECRET): string {
  return `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
}

/** `body`: text or bytes are sent as they are, anything else as JSON. */
export function delivery(body: unknown, { event = 'issues', id, secret, headers = {} }: DeliveryForm = {}): Request {
  const bytes = Buffer.from(typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body));
  const all = {
    'Content-Type': 'application/json',
    'X-GitHub-Event': event,
    'X-GitHub-Delivery': id ?? randomUUID(),
    'X-Hub-Signature-256': signatureOf(bytes, secret),
    ...headers,
  };
  const kept = Object.entries(all).filter((header): header is [string, string] => header[1] !== undefined);
  const request = new Request('http://127.0.0.1/api/github/webhooks', { method: 'POST', headers: kept, body: bytes });
  // As the server has it; a Request that is made by hand says nothing of its length.
  request.headers.set('Content-Length', String(bytes.byteLength));
  return request;
}

export interface Reception extends AsyncDisposable {
  readonly receive: Receiver;
  readonly store: SqliteStore;
  readonly clock: ReturnType<typeof clock>;
  /** Waiting and running jobs: [kind, subject, group]. */
  jobs(): Promise<readonly (readonly [string, string, string])[]>;
  /** Of the same: [event, urgency, organisation]. */
  places(): Promise<readonly (readonly [string, string])[]>;
  /** Everything that was logged. */
  logged(): string;
}

export async function reception(over: Partial<ReceiverOptions> = {}): Promise<Reception> {
  const table = createJobTable();
  const store = await migratedStore({ seal: createSeal(randomBytes(32)), enqueuer: table });
  const time = clock();
  let logged = '';
  const log = createLog({ level: 'trace', destination: { write: (line) => (logged += line) } });
  const receive = createReceiver({
    store,
    secrets: () => [SECRET],
    now: time.now,
    log,
    ...over,
  });
  return {
    receive,
    store,
    clock: time,
    jobs: () =>
      store.database.read(async (reader) =>
        (await reader.selectFrom('jobs').select(['kind', 'subject', 'group_key']).execute()).map(
          (row) => [row.kind, row.subject, row.group_key] as const,
        ),
      ),
    places: () =>
      store.database.read(async (reader) => {
        const jobs = reader.selectFrom('jobs').innerJoin('deliveries', 'deliveries.id', 'jobs.subject').orderBy('seq');
        const rows = await jobs.select(['event', 'urgency']).execute();
        return rows.map((row) => [row.event, row.urgency] as const);
      }),
    logged: () => logged,
    [Symbol.asyncDispose]: () => store[Symbol.asyncDispose](),
  };
}

/** The least body of an issue that was labelled. */
export function labelled(number = 1): Record<string, unknown> {
  return {
    action: 'labeled',
    issue: { number, title: 'Broken', body: 'It is', user: { id: 7, login: 'ada' }, created_at: 'x', updated_at: 'x' },
    label: { name: 'analyse' },
    repository: { id: 42, full_name: 'octo/shop', owner: { login: 'octo' } },
    sender: { id: 7, login: 'ada', type: 'User' },
    installation: { id: 5 },
  };
}
