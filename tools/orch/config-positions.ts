/** Where fields and flags are declared: the lines of the schema files, read on demand. */
import { join, relative } from 'node:path'
import { packageRoot } from '../../codegen/main.ts'
import { load } from '../../codegen/schema/files/load.ts'
import { readSources } from '../../codegen/schema/files/sources.ts'
import { entries, get, items, text, type YamlNode } from '../../codegen/schema/yaml/node.ts'
import type { Locate } from '../../runtime/config/config.ts'

/** Places as `schemas/config/agent/v1beta1.yaml:120`, relative to the working directory. */
export async function withPositions(): Promise<Locate> {
  const folder = join(packageRoot, 'schemas')
  const platform = join(folder, 'platform/orch.yaml')
  const sources = await readSources([{ folder, prefix: '' }], platform)
  const needed = [...sources].filter(([file]) => /^(platform$|config\/|flags\/)/.test(file))
  const { documents } = load(new Map(needed), () => {})
  const places = new Map<string, string>()
  const put = (key: string, { at }: { readonly at: YamlNode['at'] }) =>
    places.set(key, `${relative('', join(folder, at.file))}:${at.line}`)
  for (const [file, document] of documents) {
    for (const definition of entries(get(document, 'definitions'))) {
      for (const { key, keyAt } of entries(get(definition.value, 'properties'))) {
        put(`${file} ${definition.key} ${key}`, { at: keyAt })
      }
    }
    const daemon = text(get(document, 'daemon'))
    const sections = items(get(document, 'sections'))
    for (const option of sections.flatMap((section) => items(get(section, 'options')))) {
      put(`${daemon} ${text(get(option, 'flag'))}`, option)
    }
  }
  return {
    field: (struct, field) => places.get(`${struct.declaredIn} ${struct.name} ${field}`),
    flag: (daemon, flag) => places.get(`${daemon} ${flag}`),
  }
}
