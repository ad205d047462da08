// What an installation was not granted is done without; said once, so that somebody can change it.
import type { Installation } from '../../core/project.ts';
import type { Log } from '../../log.ts';
import { missingPermissions } from '../clients/installation-tokens.ts';

/** Says it again only where something else is missing. */
export function createGrants(log: Log): (installation: Installation) => void {
  const told = new Map<number, string>();
  return ({ id, owner, permissions }) => {
    const missing = missingPermissions(permissions).join(', ');
    if (missing === (told.get(id) ?? '')) return;
    told.set(id, missing);
    if (missing === '') return;
    log.warn(
      { installation: id, owner: owner.login, missing },
      'permissions were not granted: what needs them is left out; its owner can accept them in the settings of the installation',
    );
  };
}
