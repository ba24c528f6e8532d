--liquibase formatted sql logicalFilePath:task-outbox/sender-jobs.sql

--changeset task-outbox:1 dbms:mysql
--comment: The business rows of the example: one per operation.
CREATE TABLE sender_jobs (
    namespace_id VARCHAR(64) NOT NULL
        COMMENT '平台命名空间，主键之一 | Platform namespace, first part of the primary key',
    operation_id CHAR(32) NOT NULL
        COMMENT '业务操作ID，与发件箱相同 | Business operation id, the same as in the outbox',
    source_ref VARCHAR(512) NOT NULL
        COMMENT '待处理对象的引用 | Reference to the object to process',
    task_id VARCHAR(128) NULL
        COMMENT '已确认的平台任务ID，未确认时为空 | Platform task id, NULL until it is confirmed',
    created_at DATETIME(6) NOT NULL DEFAULT (UTC_TIMESTAMP(6))
        COMMENT '创建时间（UTC） | When created (UTC)',
    PRIMARY KEY (namespace_id, operation_id)
) ENGINE = InnoDB
    DEFAULT CHARACTER SET = utf8mb4
    COLLATE = utf8mb4_0900_bin
    COMMENT = '业务操作 | Business operations';
--rollback DROP TABLE sender_jobs;
