import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { encodeYaml } from '../../../../runtime/serializer/yaml/encode-yaml.ts'

const test = suite('runtime/serializer/yaml: printing')

// M-17, R-13
test('YAML sorts keys, does not indent lists, and quotes what would read as something else', async () => {
  const json = '{"kind":"X","b":["yes","1"],"a":{"z":9223372036854775807,"t":"on"}}'
  const text = Buffer.from(await encodeYaml(json)).toString()
  assert.is(text, 'a:\n  t: "on"\n  z: 9223372036854775807\nb:\n- "yes"\n- "1"\nkind: X\n')
})

test.run()
