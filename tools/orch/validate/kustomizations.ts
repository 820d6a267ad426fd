/** What kustomizations read that are no objects: they say how objects are changed, or become texts in them. */
import { readFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { isObject, type Json } from '../../../runtime/kernel/values/json.ts'

/** True for the name of a file that says what kustomize makes of a folder. */
export function isKustomization(name: string): boolean {
  return /^(kustomization\.ya?ml|Kustomization)$/.test(name)
}

/** The files, as absolute paths, that a kustomization names as patches, settings or texts; none of one that cannot be read. */
export async function partsOf(file: string): Promise<readonly string[]> {
  const bytes = await readFile(file)
  const { decodeYaml } = await import('../../../runtime/serializer/serializer.ts')
  const read = await decodeYaml(bytes).catch(() => undefined)
  const value = read?.value
  if (value === undefined || !isObject(value)) return []
  return namesIn(value).map((name) => resolve(dirname(file), name))
}

function namesIn(kustomization: Readonly<Record<string, Json | undefined>>): readonly string[] {
  const list = (key: string) => {
    const items = kustomization[key]
    return Array.isArray(items) ? items : []
  }
  const paths = ['patches', 'patchesJson6902', 'replacements', 'openapi'].flatMap((key) =>
    [...list(key), kustomization[key]].map((item) => memberOf(item, 'path')),
  )
  const names = [
    'patchesStrategicMerge',
    'configurations',
    'transformers',
    'generators',
    'validators',
    'crds',
  ].flatMap(list)
  const values = list('helmCharts').flatMap((chart) => [
    memberOf(chart, 'valuesFile'),
    ...listOf(memberOf(chart, 'additionalValuesFiles')),
  ])
  const texts = ['configMapGenerator', 'secretGenerator'].flatMap(list).flatMap((generator) =>
    ['files', 'envs'].flatMap((key) =>
      listOf(memberOf(generator, key)).map((one) =>
        // A file may have a key of its own: `key=path`.
        typeof one === 'string' ? one.slice(one.indexOf('=') + 1) : one,
      ),
    ),
  )
  return [...paths, ...names, ...values, ...texts].filter(
    // A patch may stand in the list itself.
    (one): one is string => typeof one === 'string' && one !== '' && !one.includes('\n'),
  )
}

function memberOf(value: Json | undefined, key: string): Json | undefined {
  return value !== undefined && isObject(value) ? value[key] : undefined
}

function listOf(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? value : []
}
