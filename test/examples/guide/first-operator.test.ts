import { suite } from 'uvu'
import { websiteGetsPages } from '../../../examples/guide/first-operator.ts'

const test = suite('examples/guide/first-operator')

test('a website gets a ConfigMap with its pages, which it owns', websiteGetsPages)

test.run()
