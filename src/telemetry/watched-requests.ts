// Each HTTP request: in a span and under one id, counted by its route once it is answered.
import { SpanKind } from '@opentelemetry/api';
import type { TellAnswered } from '../core/answer.ts';
import { onTrail } from '../log.ts';
import type { Instruments } from './instruments.ts';
import { activeSpan, linkTo, spanned } from './spans.ts';

export interface RequestWatch {
  /** Around everything that is done for the request. */
  around(request: Request, answer: () => Promise<Response>): Promise<Response>;
  /** Told by the API and the pages, which know the route. */
  readonly tellAnswered: TellAnswered;
  /** Around the receiver of GitHub's deliveries, which has one route. */
  delivery(request: Request, answer: () => Promise<Response>): Promise<Response>;
}

/** Any token is a method to HTTP, and a stranger may send a new one each time. */
const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);
const DELIVERIES = '/api/github/webhooks';

export function createRequestWatch(instruments: Instruments): RequestWatch {
  const tellAnswered: TellAnswered = ({ method: given, route, status, ms }) => {
    const method = METHODS.has(given) ? given : '_OTHER';
    instruments.http.observe({ method, route, status }, ms / 1_000);
    const span = activeSpan();
    span?.updateName(`${method} ${route}`);
    span?.setAttributes({ 'http.request.method': method, 'http.route': route, 'http.response.status_code': status });
  };
  return {
    tellAnswered,
    around: (request, answer) => {
      const wanted = { name: 'HTTP request', kind: SpanKind.SERVER, links: linkTo(request.headers) };
      return onTrail({}, () => spanned(wanted, answer));
    },
    delivery: async (request, answer) => {
      const began = performance.now();
      const response = await answer();
      const { status } = response;
      tellAnswered({ method: request.method, route: DELIVERIES, status, ms: performance.now() - began });
      instruments.deliveries.inc({ result: resultOf(status) });
      return response;
    },
  };
}

export const DELIVERY_RESULTS = ['received', 'unsigned', 'busy', 'refused'] as const;

function resultOf(status: number): (typeof DELIVERY_RESULTS)[number] {
  if (status === 202) return 'received';
  if (status === 401) return 'unsigned';
  return status === 503 ? 'busy' : 'refused';
}
