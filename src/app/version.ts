// The version of Causeway, as package.json says it.
import manifest from '../../package.json' with { type: 'json' };

export const VERSION: string = manifest.version;
