"""`headproof report`: the claims as a document that a referee reads, as one web page and as Markdown.

Data flow one way: records and claims -> `content` (frozen `entries`), figures -> `pictures`, both -> `pages` (text) ->
`writing` (files, all or none).
"""
