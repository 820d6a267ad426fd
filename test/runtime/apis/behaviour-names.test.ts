// The names that schema files may use are those of the tables of behaviours.
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { cells } from '../../../runtime/apis/printers/cells.ts'
import { strategies } from '../../../runtime/apis/tables/strategies.ts'
import { cellNames, strategyNames } from '../../../runtime/kernel/descriptors/behaviour-names.ts'

const test = suite('runtime/apis: names of behaviours')

test('every cell has a name that a schema file may use, and no other is', () => {
  assert.equal([...cells.keys()].sort(), [...cellNames])
})

test('every strategy has a name that a schema file may use, and no other is', () => {
  assert.equal([...strategies.keys()].sort(), [...strategyNames])
})

test.run()
