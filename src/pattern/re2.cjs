// A file of its own, which is loaded where a pattern is used: it takes longer to read than most commands.
module.exports = require('re2js');
