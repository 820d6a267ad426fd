// The example of the guide about packaging.
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { deletes } from '../../../examples/guide/package.ts'

const test = suite('examples/guide: package')

test('the operator deletes what it owns, and nothing else', () => {
  const resources = deletes().flatMap(({ resources }) => resources)
  assert.equal(resources, ['configmaps', 'deployments'])
})

test.run()
