// Subscriptions: addresses that get events of the caller's projects; listed, made, deleted, tried out.
import {
  isUnderWay,
  type ListedSubscription,
  MAX_SUBSCRIPTIONS,
  SUBSCRIPTION_ORIGINS,
  WEBHOOK_TYPES,
} from '../core/account/index.ts';
import { type Asking, findVisibleProject, subscribe } from '../services/index.ts';
import type { ApiContext, ApiDeps } from './api-deps.ts';
import { getAsking } from './auth.ts';
import { readJson, readTextField } from './body.ts';
import { type FieldFault, listFaults, refuse, refuseAbsent, refuseFaults, UNKNOWN_PROJECT } from './problem.ts';
import { CreateSubscriptionBody } from './webhook-schemas.ts';

const BOUND: FieldFault = {
  pointer: '/projectId',
  detail: 'Is required: this token is bound to projects, so name one of them.',
};

/** GET /api/v1/webhooks/ */
export async function listSubscriptions(c: ApiContext, deps: ApiDeps): Promise<Response> {
  const asking = getAsking(c);
  const own = await deps.store.listSubscriptions(asking.account.id);
  return c.json(own.filter((one) => isInReach(asking, one)).map(toView));
}

/** POST /api/v1/webhooks/ */
export async function createSubscription(c: ApiContext, deps: ApiDeps): Promise<Response> {
  const { value } = await readJson(c);
  const asking = getAsking(c);
  const {
    url,
    types,
    origins = SUBSCRIPTION_ORIGINS,
    format = 'standard',
    projectId,
  } = await validate(deps, asking, value);
  const chosen = {
    accountId: asking.account.id,
    url,
    projectId,
    format,
    types: WEBHOOK_TYPES.filter((type) => types.includes(type)),
    origins: SUBSCRIPTION_ORIGINS.filter((origin) => origins.includes(origin)),
  };
  const made = await subscribe(deps, chosen);
  if (made.kind !== 'added') {
    refuse(409, `The account has ${MAX_SUBSCRIPTIONS} subscriptions, which is the limit: delete one first.`);
  }
  const subscription = (await deps.store.findSubscription(made.id, asking.account.id)) ?? refuseAbsent();
  return c.json({ ...toView(subscription), lastDelivery: null, secret: made.secret }, 201);
}

/** DELETE /api/v1/webhooks/{subscriptionId}/ */
export async function deleteSubscription(c: ApiContext, deps: ApiDeps): Promise<Response> {
  const { id, accountId } = await requireOwnWebhook(c, deps);
  if (!(await deps.store.deleteSubscription(id, accountId, deps.now().toISOString()))) refuseAbsent();
  return c.json({ message: 'The subscription was deleted, and nothing more will be sent to it.' });
}

/** POST /api/v1/webhooks/{subscriptionId}/test/ */
export async function testSubscription(c: ApiContext, deps: ApiDeps): Promise<Response> {
  const { id, accountId } = await requireOwnWebhook(c, deps);
  const sent = (await deps.store.sendExample(id, accountId, deps.now().toISOString())) ?? refuseAbsent();
  if (sent === 'busy') refuse(409, 'An example is being sent already: wait until it is delivered or has failed.');
  if (sent === 'disabled')
    refuse(409, 'Its receiver answered 410, so nothing is sent to it: delete it and make another.');
  const list = `${deps.baseUrl()}/api/v1/webhooks/`;
  return c.json({ message: `An example is being sent as ${sent.webhookId}. What came of it: ${list}` }, 202);
}

async function requireOwnWebhook(c: ApiContext, deps: ApiDeps): Promise<ListedSubscription> {
  const asking = getAsking(c);
  const id = c.req.param('subscriptionId') ?? '';
  const isKnown = /^sub_[0-9A-Za-z]{1,32}$/.test(id);
  const found = isKnown ? await deps.store.findSubscription(id, asking.account.id) : null;
  return found !== null && isInReach(asking, found) ? found : refuseAbsent();
}

/** A token that is bound to projects sees nothing of others. */
function isInReach({ reach }: Asking, { projectId }: ListedSubscription): boolean {
  return reach === null || (projectId !== null && reach.includes(projectId));
}

/** A refusal names every fault at once. */
async function validate(
  deps: ApiDeps,
  asking: Asking,
  value: unknown,
): Promise<Omit<CreateSubscriptionBody, 'projectId'> & { readonly projectId: string | null }> {
  const parsed = CreateSubscriptionBody.safeParse(value);
  const faults: FieldFault[] = parsed.success ? [] : [...listFaults(parsed.error)];
  const readValid = (name: string) =>
    faults.some(({ pointer }) => pointer === `/${name}`) ? '' : readTextField(value, name);
  const [url, named] = [readValid('url'), readValid('projectId')];
  const seen = named === '' ? null : await findVisibleProject(deps, asking, named);
  if (named !== '' && seen === null) faults.push(UNKNOWN_PROJECT);
  if (named === '' && asking.reach !== null) faults.push(BOUND);
  const verdict = url === '' ? null : deps.checkCallbackUrl(url, 'url');
  if (verdict?.ok === false) faults.push({ pointer: '/url', detail: verdict.detail });
  if (!parsed.success || faults.length > 0) return refuseFaults(faults);
  return { ...parsed.data, projectId: seen?.project.id ?? null };
}

function toView({ accountId: _, lastDelivery, ...subscription }: ListedSubscription) {
  const isOpen = lastDelivery !== null && isUnderWay(lastDelivery.state);
  return { ...subscription, lastDelivery: isOpen ? { ...lastDelivery, state: 'pending' } : lastDelivery };
}
