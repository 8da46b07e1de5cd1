curl -L https://shop.example.com/items -H 'x-note: "two"'
curl -L https://api.example.com/orders --json '{"item":17}'
