// What a repository's configuration says about its investigations.
import type { InvestigationSettings } from '../../domain/settings.ts';
import type { RepositoryConfig } from './repository-config.ts';

/**
 * `operatorModel`: the name of the model that the operator offers; null: none. A repository that names another one gets facts only:
 * what it did not ask for is not sent anywhere. One that lets an investigation cost nothing asks for none either.
 */
export function investigationSettings(config: RepositoryConfig, operatorModel: string | null): InvestigationSettings {
  const wanted = config.model.toLowerCase();
  const isNamed = wanted === '' || (wanted !== 'none' && wanted === operatorModel?.toLowerCase());
  return {
    useModel: isNamed && config.budget.run !== 0,
    budget: config.budget,
    language: config.language,
    instructions: config.instructions,
    paths: config.paths,
  };
}
