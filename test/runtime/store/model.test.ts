import { freshStores } from './drivers.ts'
import { storeModel } from './model.ts'

for (const [name, open] of freshStores) storeModel(name, open, 60)
