import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { packageRoot } from '../../codegen/main.ts'

const test = suite('generated: reference pages')

const folder = join(packageRoot, 'generated/docs')
const pages = new Map(
  readdirSync(folder).map((page) => [page, readFileSync(join(folder, page), 'utf8')]),
)

test('every link leads to a page and a heading', () => {
  const anchors = new Map(
    [...pages].map(([page, text]) => {
      const headings = [...text.matchAll(/^## (.+)$/gm)].map(([, name = '']) => name.toLowerCase())
      return [page, new Set(headings)]
    }),
  )
  const broken = [...pages].flatMap(([page, text]) =>
    [...text.matchAll(/\[[\w.-]+\]\(([\w.-]*)(?:#(\w+))?\)/g)]
      .filter(([, to = '', anchor]) => {
        const known = anchors.get(to === '' ? page : to)
        return known === undefined || (anchor !== undefined && !known.has(anchor))
      })
      .map(([link]) => `${page}: ${link}`),
  )
  assert.equal(broken, [])
})

test('a page is small enough to read', () => {
  const large = [...pages].filter(([, text]) => text.length > 40_000).map(([page]) => page)
  assert.equal(large, [])
})

test.run()
