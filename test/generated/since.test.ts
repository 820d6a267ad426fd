/** The releases that brought kinds and fields, and what other tables say of the same. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { fieldTypes } from '../../generated/field-types.ts'
import { scheme } from '../../generated/scheme.ts'
import { apiVersionOf } from '../../runtime/kernel/meta/object.ts'

const test = suite('generated: since')

const kinds = Object.values(scheme.routes)
const minorOf = (release: string) => Number(release.split('.')[1])

test('a version replaced an older one in the release that brought it, or before 1.16, where kinds begin to say it', () => {
  for (const { replacement, since = '', resources } of scheme.removals ?? []) {
    for (const kind of kinds.filter((one) => apiVersionOf(one) === replacement)) {
      if (!Object.values(resources).includes(kind.kind)) continue
      const told = `${replacement} ${kind.kind}`
      if (kind.since === undefined) assert.ok(minorOf(since) < 16, told)
      else assert.is(since, kind.since, told)
    }
  }
})

test('every release is one that this one knows, and a field of a kind came after the kind', () => {
  const now = minorOf(scheme.platform.release)
  const kindSince = new Map(kinds.map((kind) => [`${apiVersionOf(kind)}/${kind.kind}`, kind.since]))
  const roots = new Map(Object.entries(fieldTypes.kinds).map(([key, struct]) => [struct, key]))
  for (const [struct, fields] of Object.entries(fieldTypes.since ?? {})) {
    const known = Object.keys(fieldTypes.structs[struct] ?? {})
    const kind = kindSince.get(roots.get(struct) ?? '') ?? '1.15'
    for (const [field, since] of Object.entries(fields)) {
      assert.ok(known.includes(field), `${struct}.${field}`)
      assert.ok(minorOf(since) <= now && minorOf(since) > minorOf(kind), `${struct}.${field}`)
    }
  }
  for (const { since } of kinds) assert.ok(since === undefined || minorOf(since) <= now)
})

test.run()
