/** The `fieldPath` of a rule, such as `.spec.labels['a.b']`: the field that its errors are reported at. */
import { isObject } from '../../kernel/values/json.ts'
import type { SchemaNode } from '../schema/schema-node.ts'

const step = /\.([^.[\]]+)|\['((?:[^'\\]|\\.)*)'\]/y
const escapes: Readonly<Record<string, string | undefined>> = {
  a: '\x07',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  "'": "'",
  '\\': '\\',
}

/** The path in the form of field errors (`spec.labels[a.b]`); undefined for one that the schema does not have. */
export function resolveFieldPath(text: string, node: SchemaNode): string | undefined {
  let [at, path, here] = [0, '', node]
  while (at < text.length) {
    step.lastIndex = at
    const found = step.exec(text)
    const name = found?.[1] ?? unescaped(found?.[2])
    if (found === null || name === undefined) return undefined
    at = step.lastIndex
    const field = here.properties?.get(name)
    const isMap = here.properties === undefined || here.properties.size === 0
    path += field === undefined ? `[${name}]` : `${path === '' ? '' : '.'}${name}`
    if (isMap && here.allowsAnyField && at === text.length) return path
    const next = field ?? (isMap ? here.additionalProperties : undefined)
    if (next === undefined) return undefined
    here = next
  }
  return path === '' ? undefined : path
}

/** The value at a resolved path; undefined if the object has none there. */
export function valueAtField(value: unknown, path: string): unknown {
  let here = value
  for (const [, key, name = key] of path.matchAll(/\[([^\]]*)\]|([^.[\]]+)/g)) {
    if (name === undefined || !isObject(here) || !Object.hasOwn(here, name)) return undefined
    here = here[name]
  }
  return here
}

/** The key in quotes with its escape sequences resolved; undefined for an unknown sequence. */
function unescaped(text: string | undefined): string | undefined {
  if (text === undefined) return undefined
  let [out, valid] = ['', true]
  for (let at = 0; at < text.length; at++) {
    if (text[at] !== '\\') {
      out += text[at]
      continue
    }
    const meant = escapes[text[++at] ?? '']
    valid &&= meant !== undefined
    out += meant ?? ''
  }
  return valid ? out : undefined
}
