/** The definitions of an operator's kinds, with the webhook that converts their versions. */
import { parse } from 'yaml'
import { type Manifest, type PackageSettings, webhookService } from './settings.ts'

interface Definition extends Manifest {
  readonly metadata: { readonly name: string }
  readonly spec: {
    readonly conversion?: { readonly strategy: string; readonly webhook?: object }
  }
}

/** Definitions with their webhook filled in, and the names of those whose versions it converts. */
export function definitionsOf(
  texts: ReadonlyMap<string, string>,
  settings: PackageSettings,
): { readonly definitions: readonly Manifest[]; readonly converted: readonly string[] } {
  const found = [...texts.values()].map((text) => parse(text) as Definition)
  const converted = found.filter(({ spec }) => spec.conversion?.strategy === 'Webhook')
  return {
    definitions: found.map((each) =>
      converted.includes(each) ? withService(each, settings) : each,
    ),
    converted: converted.map(({ metadata }) => metadata.name),
  }
}

/** Which authority signed its certificate says the operator itself, once it runs. */
function withService(definition: Definition, settings: PackageSettings): Manifest {
  const { spec } = definition
  const service = { ...webhookService(settings), path: '/convert', port: 443 }
  const webhook = { conversionReviewVersions: ['v1'], clientConfig: { service } }
  return { ...definition, spec: { ...spec, conversion: { strategy: 'Webhook', webhook } } }
}
