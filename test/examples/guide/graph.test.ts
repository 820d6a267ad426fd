// The examples of the guide about who wakes whom.
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { serverController, sizeController } from '../../../examples/guide/fields.ts'
import {
  flowchart,
  lostController,
  quietController,
  stampController,
  warnings,
} from '../../../examples/guide/graph.ts'

const test = suite('examples/guide: graph')

test('a controller that wakes itself is warned of, until it leaves its field out of what wakes it', () => {
  assert.equal(warnings([stampController]), [
    'stamp wakes itself by metadata.annotations[example.com/ports] of Service: write only what differs, or leave the field out of the `fields` that wake',
  ])
  assert.equal(warnings([quietController]), [])
})

test('a controller that nothing wakes is warned of', () => {
  assert.equal(warnings([lostController]), [
    'nothing wakes lost: it has no watches, no seeds and no sources',
  ])
})

test('two controllers of one object are drawn with what each wakes', () => {
  assert.is(warnings([serverController, sizeController]).length, 1)
  assert.is(
    flowchart(),
    `flowchart LR
  c0["server"]
  c1["size"]
  c0 -.->|"Deployment.apps: metadata.labels, spec.selector, spec.template"| c0
  c0 -.->|"Deployment.apps that comes or goes"| c1
  c1 -->|"Deployment.apps: spec.replicas"| c0
  c1 -->|"Deployment.apps: spec.replicas"| c1
`,
  )
})

test.run()
