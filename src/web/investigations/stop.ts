// The button that stops an investigation.
import type { Handler } from 'hono';
import { isAtLeast } from '../../core/role.ts';
import { visibleInvestigation } from '../../services/access.ts';
import { cancelInvestigation } from '../../services/end-early.ts';
import { readForm } from '../read-form.ts';
import { refuseAbsentPage, WebRefusal } from '../refusal.ts';
import type { WebDeps, WebEnv } from '../web-deps.ts';

/** POST /investigations/{investigationId}/stop */
export function postStop(deps: WebDeps): Handler<WebEnv> {
  return async (c) => {
    await readForm(c);
    const id = c.req.param('investigationId') ?? '';
    const { investigation, role } = (await visibleInvestigation(deps, c.get('asking'), id)) ?? refuseAbsentPage();
    if (!isAtLeast(role, 'triage')) {
      throw new WebRefusal(
        403,
        'Stopping an investigation needs the triage role in its repository. Nothing was changed.',
      );
    }
    const cancelled = await cancelInvestigation(deps, investigation.id, undefined, c.get('asking').account.id);
    if (cancelled.kind === 'absent') refuseAbsentPage();
    const done = cancelled.kind === 'cancelled' ? 'stopped' : 'ended';
    return c.redirect(`/investigations/${investigation.id}?done=${done}`, 303);
  };
}
