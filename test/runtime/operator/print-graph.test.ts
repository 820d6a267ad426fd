// The forms of a graph of controllers.
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { configMaps } from '../../../generated/apis/core/v1/config-map.ts'
import { secrets } from '../../../generated/apis/core/v1/secret.ts'
import { printGraph } from '../../../runtime/operator/operator.ts'
import {
  controllerGraph,
  defineController,
  done,
  writing,
} from '../../../runtime/reconcile/reconcile.ts'

const test = suite('runtime/operator: graph')

const reconcile = async () => done
const graph = controllerGraph([
  defineController({ name: 'a', for: configMaps, owns: [secrets], reads: [], reconcile }),
  defineController({
    ...{ name: 'say "b"', for: secrets, scope: { fields: ['data'] }, reconcile },
    writes: [writing(configMaps, ['data[b]'])],
  }),
])

test('as text it has what wakes and is written, then the findings', () => {
  assert.is(
    printGraph(graph),
    `a
  woken by ConfigMap
           Secret
  writes   Secret (ensure)
  wakes    itself by Secret
           say "b" by Secret: data

say "b"
  woken by Secret: data
  writes   ConfigMap: data[b] (writes)
  wakes    a by ConfigMap: data[b]

warning: a wakes say "b" by data of Secret, say "b" wakes a by data[b] of ConfigMap: write only what differs, or leave the field out of the \`fields\` that wake
note: a wakes itself by Secret: it ends, since ensure and setStatus write only what differs
`,
  )
})

test('as a flowchart and as a graph of Graphviz its names are quoted', () => {
  assert.is(
    printGraph(graph, 'mermaid'),
    `flowchart LR
  c0["a"]
  c1["say #quot;b#quot;"]
  c0 -.->|"Secret"| c0
  c0 -.->|"Secret: data"| c1
  c1 -->|"ConfigMap: data[b]"| c0
`,
  )
  assert.is(
    printGraph(graph, 'dot'),
    `digraph controllers {
  "a";
  "say \\"b\\"";
  "a" -> "a" [label="Secret", style=dashed];
  "a" -> "say \\"b\\"" [label="Secret: data", style=dashed];
  "say \\"b\\"" -> "a" [label="ConfigMap: data[b]"];
}
`,
  )
})

test('without controllers it is empty', () => {
  assert.is(printGraph(controllerGraph([])), '\n')
})

test.run()
