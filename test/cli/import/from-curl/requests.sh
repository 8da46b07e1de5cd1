#!/bin/sh
# A shop: log in, list the items, order one.
API=https://shop.example.com
curl -L -X POST $API/login -H 'content-type: application/json' -d '{"user":"ann","password":"correct-horse"}'
sleep 1
curl -L "$API/items?limit=10" -H "Authorization: Bearer $SHOP_TOKEN"
curl -L $API/orders --data-urlencode 'note=two words' -d item=17 --proxy http://proxy.example.com
