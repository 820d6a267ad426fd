import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { ListOptions, ListResult } from '../../../../runtime/registry/registry.ts'
import { fakeClock } from '../../../support/clock.ts'
import {
  body,
  configMaps,
  deployments,
  inDefault,
  type OpenRegistry,
  openRegistry,
  pods,
  quiet,
} from '../../../support/registry.ts'
import { assertRejects } from '../../../support/rejects.ts'

/** The laws hold whether objects are kept in memory or not. */
function laws(name: string, uncached: readonly string[]): void {
  const lists = suite<OpenRegistry>(name)
  const clock = fakeClock(Date.parse('2030-01-01T00:00:00Z'))

  lists.before(async (context) => {
    Object.assign(context, await openRegistry({ uncached, clock, historyMs: 60_000 }))
    for (let n = 0; n < 7; n++) {
      const metadata = { name: `m${n}`, labels: { parity: n % 2 === 0 ? 'even' : 'odd' } }
      await context.registry.create(inDefault(configMaps), body({ metadata }), quiet)
    }
    const other = { kind: configMaps, namespace: 'orch-public' }
    await context.registry.create(other, body({ metadata: { name: 'a' } }), quiet)
  })
  lists.after(({ close }) => close())

  const names = ({ items }: ListResult) => items.map((item) => item.object().metadata.name)

  async function walk(
    { registry }: OpenRegistry,
    options: ListOptions,
  ): Promise<readonly ListResult[]> {
    const pages: ListResult[] = []
    for (let token: string | undefined = ''; token !== undefined; ) {
      const page: ListResult = await registry.list(inDefault(configMaps), {
        ...options,
        ...(token && { continue: token }),
      })
      pages.push(page)
      token = page.continue
    }
    return pages
  }

  lists(
    'a collection comes in key order with its version (L-01, L-02, A2.15)',
    async ({ registry, store }) => {
      const all = await registry.list({ kind: configMaps }, {})
      assert.equal(names(all), ['m0', 'm1', 'm2', 'm3', 'm4', 'm5', 'm6', 'a'])
      assert.is(all.resourceVersion, String(await store.revision()))
      assert.is(all.continue, undefined)
      assert.equal((await registry.list({ kind: deployments }, {})).items, [])
      assert.equal((await registry.list({ kind: configMaps, namespace: 'none' }, {})).items, [])
    },
  )

  lists('pages are one snapshot (L-03, L-04, A4.45, A2.17)', async (opened) => {
    const first = await opened.registry.list(inDefault(configMaps), { limit: 3 })
    await opened.registry.create(inDefault(configMaps), body({ metadata: { name: 'm3a' } }), quiet)
    assert.equal([names(first), first.remainingItemCount], [['m0', 'm1', 'm2'], 4])
    const token = first.continue as string
    const second = await opened.registry.list(inDefault(configMaps), { limit: 3, continue: token })
    assert.equal([names(second), second.remainingItemCount], [['m3', 'm4', 'm5'], 1])
    assert.is(second.resourceVersion, first.resourceVersion)
    await opened.registry.delete(inDefault(configMaps, 'm3a'), { dryRun: false })
    const pages = await walk(opened, { limit: 2 })
    assert.equal(
      pages.map((page) => page.items.length),
      [2, 2, 2, 1],
    )
  })

  lists('pages under a selector are full and not counted (L-03, L-15)', async (opened) => {
    const pages = await walk(opened, { limit: 2, labelSelector: 'parity=even' })
    assert.equal(pages.flatMap(names), ['m0', 'm2', 'm4', 'm6'])
    assert.equal(
      pages.map(({ remainingItemCount }) => remainingItemCount),
      pages.map(() => undefined),
    )
    assert.is(pages[0]?.items.length, 2)
  })

  lists('a token is opaque and checked (L-04, L-06, A4.31)', async ({ registry }) => {
    const token = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
    const bad = [
      'x',
      token({ v: 'v0', rv: 1, start: 'a' }),
      token({ v: 'meta/v1', rv: 1, start: '' }),
      token({ v: 'meta/v1', rv: 1, start: '../a' }),
      token({ v: 'meta/v1', rv: 0, start: 'a' }),
      token({ v: 'meta/v1', rv: 'x', start: 'a' }),
    ]
    for (const text of bad) {
      const error = await assertRejects(
        registry.list(inDefault(configMaps), { limit: 1, continue: text }),
        'BadRequest',
      )
      assert.match(error.message, /^invalid continue token: /)
    }
    const { continue: good = '' } = await registry.list(inDefault(configMaps), { limit: 1 })
    const options = { limit: 1, continue: good }
    await registry.list(inDefault(configMaps), { ...options, resourceVersion: '0' })
    const error = await assertRejects(
      registry.list(inDefault(configMaps), { ...options, resourceVersion: '5' }),
      'BadRequest',
    )
    assert.is(error.message, 'specifying resource version is not allowed when using continue')
  })

  lists(
    'versions mean what the table says (A4.28 to A4.36, L-07, L-09, D-10, D-11)',
    async ({ registry, store }) => {
      const list = (options: ListOptions) => registry.list(inDefault(configMaps), options)
      const old = await store.revision()
      await registry.create(inDefault(configMaps), body({ metadata: { name: 'new' } }), quiet)
      const version = String(old)
      const has = async (options: ListOptions) => names(await list(options)).includes('new')
      assert.ok(await has({}))
      assert.ok(await has({ resourceVersion: '0' }))
      assert.ok(await has({ resourceVersion: '0', limit: 1 }), 'version 0 ignores the limit')
      assert.ok(await has({ resourceVersion: version }))
      assert.ok(await has({ resourceVersion: version, resourceVersionMatch: 'NotOlderThan' }))
      const exact = { resourceVersion: version, resourceVersionMatch: 'Exact' }
      assert.not.ok(await has(exact))
      assert.is((await list(exact)).resourceVersion, version)
      assert.not.ok(await has({ resourceVersion: version, limit: 100 }))
      const one = { fieldSelector: 'metadata.name=new', resourceVersion: version }
      assert.ok(await has({ ...one, limit: 1 }), 'of one object there are no pages')
      assert.not.ok(await has({ ...one, resourceVersionMatch: 'Exact' }))
      const invalid: readonly ListOptions[] = [
        { resourceVersionMatch: 'Exact' },
        { resourceVersionMatch: 'NotOlderThan' },
        { resourceVersionMatch: 'Exact', resourceVersion: '0' },
        { resourceVersionMatch: 'Bogus', resourceVersion: '1' },
        { resourceVersionMatch: 'Exact', resourceVersion: '1', continue: 'x' },
      ]
      for (const options of invalid) {
        const error = await assertRejects(list(options), 'Invalid')
        assert.is(error.details?.kind, 'ListOptions')
        assert.is(error.details?.causes?.[0]?.field, 'resourceVersionMatch')
      }
      await assertRejects(list({ resourceVersion: 'abc' }), 'BadRequest')
      await registry.delete(inDefault(configMaps, 'new'), { dryRun: false })
    },
  )

  lists(
    'a version that never comes is waited for and refused (D-21, A7.5)',
    async ({ registry }) => {
      for (const read of [
        registry.list(inDefault(configMaps), { resourceVersion: '1000000' }),
        registry.get(inDefault(configMaps, 'm0'), { resourceVersion: '1000000' }),
      ]) {
        const refused = assertRejects(read, 'Timeout')
        await Promise.resolve()
        clock.advance(3000)
        const { details, message, code } = await refused
        assert.is(code, 504)
        assert.match(message, /Too large resource version/)
        assert.is(details?.retryAfterSeconds, 1)
        assert.is(details?.causes?.[0]?.reason, 'ResourceVersionTooLarge')
      }
    },
  )

  lists(
    'field selectors reach what the kind offers and nothing else (L-12, L-13)',
    async ({ registry }) => {
      const spec = { containers: [{ name: 'c', image: 'x:1' }] }
      await registry.create(inDefault(pods), body({ metadata: { name: 'p' }, spec }), quiet)
      const count = async (fieldSelector: string) =>
        (await registry.list({ kind: pods }, { fieldSelector })).items.length
      assert.is(await count('status.phase=Pending,spec.nodeName=,spec.hostNetwork=false'), 1)
      assert.is(await count('spec.nodeName!='), 0)
      assert.is(await count('spec.hostNetwork='), 0)
      assert.is(await count('spec.hostNetwork!=,spec.hostNetwork!=true'), 1)
      assert.is(await count('metadata.name=p,metadata.namespace=default'), 1)
      assert.is(await count('metadata.name=pp'), 0)
      const pod = await assertRejects(
        registry.list({ kind: pods }, { fieldSelector: 'spec.bogus=1' }),
        'BadRequest',
      )
      assert.is(pod.message, 'field label not supported: spec.bogus')
      const map = await assertRejects(
        registry.list({ kind: configMaps }, { fieldSelector: 'data=1' }),
        'BadRequest',
      )
      assert.is(
        map.message,
        '"data" is not a known field selector: only "metadata.name", "metadata.namespace"',
      )
    },
  )

  lists(
    'an expired token is refused with one that goes on (L-05, A7.4)',
    async ({ registry, store }) => {
      const { continue: token = '' } = await registry.list(inDefault(configMaps), { limit: 3 })
      await registry.create(inDefault(configMaps), body({ metadata: { name: 'm9' } }), quiet)
      await store.compact(await store.revision())
      const error = await assertRejects(
        registry.list(inDefault(configMaps), { limit: 3, continue: token }),
        'Expired',
      )
      assert.is(error.code, 410)
      const next = await registry.list(inDefault(configMaps), {
        limit: 3,
        continue: error.continueToken as string,
      })
      assert.equal(names(next), ['m3', 'm4', 'm5'])
      const last = await registry.list(inDefault(configMaps), { continue: next.continue as string })
      assert.equal(names(last), ['m6', 'm9'])
      assert.is(last.resourceVersion, next.resourceVersion)
    },
  )

  lists.run()
}

laws('runtime/registry/verbs/list', [])
laws('runtime/registry/verbs/list, nothing cached', ['/core/configmaps/', '/core/pods/'])
