/** The files of a catalogue of JSON Schemas. */
import type { LeftOut } from '../../../runtime/editor/editor.ts'
import type { OpenCatalogue } from '../lsp/catalogue.ts'

/** How files are found. */
export interface CatalogueOptions {
  /** Where the folder is read from, without a slash at its end. */
  readonly url: string
  /** The names of files that hold documents of any kind. */
  readonly match: readonly string[]
}

/** The texts of all files by their path in the folder: a schema for each kind, one for any document, the catalogue, and what no schema says. */
export function catalogueFiles(
  catalogue: OpenCatalogue,
  { url, match }: CatalogueOptions,
): ReadonlyMap<string, string> {
  const files = new Map<string, string>()
  const rows: { readonly name: string; readonly description: string; readonly url: string }[] = []
  const cases: object[] = []
  const leftOut: LeftOut[] = []
  for (const { apiVersion, kind, isConfiguration } of sorted(catalogue)) {
    const published = catalogue.published(apiVersion, kind)
    if (published === undefined) continue
    const path = pathOf(apiVersion, kind)
    files.set(path, textOf({ $id: `${url}/${path}`, ...published.schema }))
    leftOut.push(...published.leftOut)
    cases.push(caseOf(apiVersion, kind, path))
    const what = isConfiguration ? 'configuration file of a daemon' : 'manifest'
    rows.push({
      name: `${apiVersion} ${kind}`,
      description: `${what} of kind ${kind}`,
      url: `${url}/${path}`,
    })
  }
  const all = {
    $id: `${url}/all.json`,
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'any manifest or configuration file',
    type: ['object', 'null'],
    allOf: cases,
  }
  files.set('all.json', textOf(all))
  const any = {
    ...{ name: 'orch', description: all.title, fileMatch: match },
    ...{ url: `${url}/all.json`, versions: {} },
  }
  files.set(
    'catalogue.json',
    textOf({ $schema: catalogueSchema, version: 1, schemas: [any, ...rows] }),
  )
  files.set('left-out.md', leftOutPage(leftOut))
  return files
}

/** Editors know the form of catalogues by this name. */
const catalogueSchema = 'https://json.schemastore.org/schema-catalog.json'

function sorted(catalogue: OpenCatalogue) {
  const keyed = catalogue.kinds().map((one) => [`${one.apiVersion}/${one.kind}`, one] as const)
  return keyed.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)).map(([, one]) => one)
}

/** `apps/deployment_v1.json`; kinds without a group are in `core`. */
function pathOf(apiVersion: string, kind: string): string {
  const [version = '', group = 'core'] = apiVersion.split('/').reverse()
  return `${group}/${kind.toLowerCase()}_${version}.json`
}

function caseOf(apiVersion: string, kind: string, path: string) {
  const properties = { apiVersion: { const: apiVersion }, kind: { const: kind } }
  const chosen = { if: { properties, required: ['apiVersion', 'kind'] } }
  return Object.assign(chosen, Object.fromEntries([['then', { $ref: path }]]))
}

const about: Readonly<Record<string, string>> = {
  check: 'a form or a rule that the server has a program for',
  'condition-reasons': 'which reasons a condition of a type may have',
  constraints: 'what several fields demand of each other',
  'list-map-keys': 'no two items have the same keys',
  fields: 'which fields the object has',
  format: 'the form of the text',
  metadata: 'names, labels, annotations, owners and finalizers',
  strategies: 'what objects of the kind demand across their fields',
  unions: 'which fields belong to the value of another one',
  validations: 'a rule in the expression language',
}

/** What `orch validate` and the server judge, and no schema of the catalogue. */
function leftOutPage(all: readonly LeftOut[]): string {
  const lines = all.map(({ type, field, keyword }) => {
    const place = field === '' ? type : `${type}.${field}`
    return `| ${place} | ${about[keyword] ?? keyword} |`
  })
  return [
    '# What the schemas do not say',
    '',
    'JSON Schema has no words for these; `orch validate` judges them as the server does. Of texts it has none for duplicate keys, merge keys',
    'and values that YAML readers take for something else.',
    '',
    '| where | what is judged |',
    '| --- | --- |',
    ...[...new Set(lines)].sort(),
    '',
  ].join('\n')
}

function textOf(value: object): string {
  return `${JSON.stringify(value, undefined, 1)}\n`
}
